"""Signs beside values: programs compute the same when their signs are applied at the end."""

from __future__ import annotations

import numpy as np

from screwgraph.compiler.passes.slp.sign_normal_form import SignNormalForm, make_sign_normal_form
from screwgraph.tape import Tape, program

RNG = np.random.default_rng(0)
COMPUTE = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "inv": lambda a: 1.0 / a,
    "fma": lambda a, b, c: a * b + c,
}


def evaluate(form: SignNormalForm, given: dict[int, float]) -> list[float]:
    """Return the outputs of a normal form; `given` are the values of what is not computed."""
    values = dict[int, float]()
    for i, (kind, operands) in enumerate(zip(form.kinds, form.operands, strict=True)):
        if i in given:
            values[i] = given[i]
        elif kind in COMPUTE:
            values[i] = COMPUTE[kind](*(sign * values[o] for o, sign in operands))
    return [o[1] * values[o[0]] if isinstance(o, tuple) else o for o in form.outputs]


def test_normal_forms_compute_what_programs_do():
    tape = Tape()
    x, y, z = (tape.input(name) for name in "xyz")
    turned = -(x * y)
    own = program(tape, [turned, turned - z, z - turned, -(-turned + x) / y, (z * -y) * turned, -y - x])
    form = make_sign_normal_form(own)
    assert not {"neg", "sub"} & {*form.kinds}
    state = dict(zip("xyz", RNG.uniform(0.5, 2.0, 3).tolist(), strict=True))
    inputs = {i: state[own.input_names[n]] for i, (kind, n, *_) in enumerate(own.instructions) if kind == "input"}
    expected = own.evaluate([state[name] for name in own.input_names])
    np.testing.assert_allclose(evaluate(form, inputs), expected, rtol=1e-14)
