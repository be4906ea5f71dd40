"""Numbers of neighbouring passages in C, on their way to vectors and back."""

import pytest

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.lanes import define_lanes
from tests.api.deployment.tools import WARNINGS, done, found
from tests.compiler.backends.test_routines import chain_listing

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
