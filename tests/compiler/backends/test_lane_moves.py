"""Lanes in C: numbers of neighbouring passages on their way to vectors and back, sines and cosines."""

import numpy as np
import pytest

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.lanes import define_lanes
from screwgraph.spatial import cos, sin
from screwgraph.tape import Memory
from tests.api.deployment.tools import WARNINGS, done, found
from tests.compiler.backends.test_stage_loops import chain_listing

MAIN = """
int main(void)
{{
    enum {{ N = 2 * {most} + 3, STRIDE = N + 5 }};
    static {scalar} from[STRIDE * {most}], to[STRIDE * {most}];
    static moves_numbers lanes[N];
    for (int i = 0; i < STRIDE * {most}; ++i) from[i] = ({scalar})(i + 1);
    for (int count = 1; count <= MOVES_LANES; ++count) {{
        moves_gather(from, STRIDE, count, N, lanes);
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < MOVES_LANES; ++k)
                if (lanes[i].each[k] != from[i + (k < count ? k : 0) * STRIDE]) return 1;
        for (int i = 0; i < STRIDE * {most}; ++i) to[i] = 0;
        moves_scatter(lanes, N, to, STRIDE, count);
        for (int i = 0; i < STRIDE * {most}; ++i)
            if (to[i] != (i / STRIDE < count && i % STRIDE < N ? from[i] : 0)) return 2;
        moves_spread(from, N, lanes);
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < MOVES_LANES; ++k)
                if (lanes[i].each[k] != from[i]) return 3;
    }}
    return 0;
}}
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("flags", [(), ("-march=native",)])
@pytest.mark.parametrize("unknown", ["", "__has_builtin", "__GNUC__"])
def test_lanes_hold_numbers_of_passages_and_give_them_back(tmp_path, dtype, flags, unknown):
    compiler = found("gcc", "clang", "cc")
    lines = define_lanes(Library("moves", [chain_listing(dtype)]), {}, moves=True)
    scalar, most = ("double", 8) if dtype == "float64" else ("float", 16)
    text = "\n".join(lines) + MAIN.format(scalar=scalar, most=most)
    text = text.replace(unknown, "UNKNOWN") if unknown else text
    (tmp_path / "moves.c").write_text(text, encoding="utf-8")
    done(compiler, "-std=c99", *WARNINGS, *flags, "-O2", "moves.c", "-o", "t", cwd=tmp_path)
    done("./t", cwd=tmp_path)


SINES = """
int main(void)
{{
    static const double angles[] = {{{angles}}};
    for (int i = 0; i < {count}; ++i) {{
        moves_numbers a, s, c;
        for (int k = 0; k < MOVES_LANES; ++k) a.each[k] = angles[(i + 7 * k) % {count}];
        s.all = moves_lanes_sin(a.all);
        c.all = moves_lanes_cos(a.all);
        for (int k = 0; k < MOVES_LANES; ++k) {{
            const double x = a.each[k];
            if (fabs(x) <= 1e300 && !(fabs(s.each[k] - sin(x)) < 4e-16 && fabs(c.each[k] - cos(x)) < 4e-16)) return 1;
            if (fabs(x) < 1e-3 && !(fabs(s.each[k] - sin(x)) <= 4e-16 * fabs(x))) return 2;
            if (!(fabs(x) <= 1e300) && (s.each[k] == s.each[k] || c.each[k] == c.each[k])) return 3;
        }}
    }}
    return 0;
}}
"""
"""Angles that are no numbers have no sine."""


@pytest.mark.parametrize("flags", [("-O2",), ("-O3", "-march=native"), ("-O2", "-ffp-contract=off"), ("-O2", "-DX=1")])
def test_sines_of_lanes_are_those_of_the_library(tmp_path, flags):
    compiler = found("gcc", "clang", "cc")
    memory = Memory()
    memory.add("angle", 1)
    memory.add("sines", 2)
    program = memory.block("sines", ["angle"], ["sines"], lambda angle: [sin(angle[0]), cos(angle[0])]).program
    lines = define_lanes(Library("moves", [chain_listing()]), {8: [program]}, moves=False)
    rng, quarter = np.random.default_rng(0), 0.5 * np.pi
    near = quarter * np.arange(-40, 41)
    angles = [*near, *np.nextafter(near, 9.0), *(0.5 * near + 1e-9), *rng.uniform(-1e5, 1e5, 500)]
    angles += [0.0, 1e-8, -1e-5, 9e-4, *rng.uniform(-7.0, 7.0, 500)] if "-DX=1" not in flags else [2e5, -1e9, 1e300]
    text = ", ".join(float(x).hex() for x in angles) + (", NAN, INFINITY" if "-DX=1" in flags else ", 0.0, 1.0")
    source = "#include <math.h>\n" + "\n".join(lines) + SINES.format(angles=text, count=len(angles) + 2)
    (tmp_path / "sines.c").write_text(source, encoding="utf-8")
    done(compiler, "-std=c99", *WARNINGS, *flags, "sines.c", "-o", "t", "-lm", cwd=tmp_path)
    done("./t", cwd=tmp_path)
