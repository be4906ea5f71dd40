"""Calls with any numbers end with a command: within limits, with the same bits again, and without allocation in C."""

import numpy as np
import pytest
from tests.api.deployment.tools import WARNINGS, done, found
from tests.motion.control.predictive.test_optima import cart_pole

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights

MATHEMATICS = {"sin", "cos", "sincos", "sqrt", "fabs", "fmin", "fmax", "memcpy", "memset"}
"""What an object may ask for."""
TWICE = """
#include "cart.h"
#include <string.h>
int main(void) {{
  static double in[{given}], out[2][{results}];
  unsigned x = 1u;
  for (int call = 0; call < 200; ++call) {{
    for (int i = 0; i < {given}; ++i) {{ x = 1664525u * x + 1013904223u; in[i] = x / 4294967296.0 * (1 << call % 20); }}
    if (call % 7 == 0) in[call % {given}] = 0.0 / (in[0] - in[0]);
    for (int k = 0; k < 2; ++k) cart_mpc({pointers});
    if (memcmp(out[0], out[1], sizeof out[0])) return 1;
  }}
  return 0;
}}
"""


def test_any_numbers_have_a_command_and_the_same_bits():
    """States, references and weights over 24 orders, weights of zero, shifts that are none, last solutions and none."""
    (control, weights), rng = cart_pole(), np.random.default_rng(5)
    references, nothing = stack_references(control, [0.0, np.pi]), np.zeros(control.arguments[-1].shape)
    last, seen = nothing, set()
    for k in range(300):
        sizes = 10.0 ** rng.uniform(-12.0, 12.0, 4) if k % 3 else np.ones(4)
        advance = [0.0, 1.0, -3.0, np.nan, np.inf][k % 5] if k % 2 else rng.uniform()
        own = weights * sizes[3] * (rng.uniform(size=weights.shape) < (0.7 if k % 4 else 1.0))
        q, qd = sizes[0] * rng.standard_normal(2), sizes[1] * rng.standard_normal(2)
        given = q, qd, sizes[2] * references, own, advance, last if k % 4 else nothing
        with np.errstate(all="ignore"):
            results, again = control(*given), control(*given)
        for x, y in zip(results, again, strict=True):
            np.testing.assert_array_equal(x, y)
        tau, *_, last, solution = results
        assert np.isfinite(solution).all()
        assert np.abs(tau).max() <= 20.0
        seen.add(solution[0])
    assert seen == {0.0, 1.0, 3.0}


@pytest.mark.parametrize("limits", [{"lower": 2.0, "upper": 3.0}, {"velocity": 1e-6}, {"penalty": (1e9, 1e12)}])
def test_limits_that_cannot_be_kept_have_a_command(limits):
    """A motor of 0.1 N, a cart far from its rail or too fast for it: what cannot be kept is said."""
    robot = sg.load("cart_pole")
    own = HorizonLimits(**{"effort": 0.1, "lower": -0.1, "upper": 0.1, **limits})
    control = sg.mpc(robot, 0.02, 10, limits=own)
    given = [0.5, 3.0], [1.0, -2.0], stack_references(control, [0.0, np.pi]), stack_weights(robot)
    for most in (1, 2, 30):  # the cap is honoured
        result = converge(control, *given, most=most)
        assert all(np.isfinite(x).all() for x in result if x is not None)
        assert np.abs(result.tau).max() <= 0.1
        assert result.solution[2] > 0.1
        assert result.solution[0] in (0.0, 1.0)
        assert most > 2 or result.solution[0] == 1.0
    last = np.zeros(control.arguments[-1].shape)
    *_, last, _ = control(*given, 0.0, last)
    np.testing.assert_array_equal(converge(control, *given, most=1).next, last)


def test_c_allocates_nothing_and_has_the_same_bits(tmp_path):
    compiler, names = found("gcc", "clang", "cc"), found("nm", "llvm-nm")
    control, _ = cart_pole()
    sg.export_library({"mpc": control}, tmp_path, prefix="cart")
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-c", "cart.c", "-o", "cart.o", cwd=tmp_path)
    asked = {line.split()[-1].lstrip("_") for line in done(names, "-u", "cart.o", cwd=tmp_path).splitlines() if line}
    assert asked <= MATHEMATICS, asked - MATHEMATICS
    sizes = [[int(np.prod(x.shape)) for x in vectors] for vectors in (control.arguments, control.results)]
    starts = [np.cumsum([0, *own[:-1]]) for own in sizes]
    pointers = [f"in + {i}" for i in starts[0]] + [f"out[k] + {i}" for i in starts[1]]
    text = TWICE.format(given=sum(sizes[0]), results=sum(sizes[1]), pointers=", ".join(pointers))
    (tmp_path / "twice.c").write_text(text, encoding="utf-8")
    done(compiler, "-std=c99", "-O1", "-I.", "twice.c", "cart.o", "-o", "twice", "-lm", cwd=tmp_path)
    done("./twice", cwd=tmp_path)
