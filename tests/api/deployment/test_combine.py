"""One function of several: the same numbers, fewer operations, each argument once."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions

pytestmark = pytest.mark.cheapest


def test_what_functions_have_in_common_is_done_once():
    arm = sg.load("panda")
    parts = {"qdd": sg.forward_dynamics(arm), "M": sg.mass_matrix(arm), "h": sg.bias_forces(arm)}
    f = sg.together("all", parts)
    assert [a.name for a in f.arguments] == ["q", "qd", "tau"]
    assert [r.name for r in f.results] == ["qdd", "M", "h"]
    assert f.operations.total < 0.6 * sum(part.operations.total for part in parts.values())
    state = np.random.default_rng(0).normal(size=(3, 5, 7))
    for found, own, n in zip(f(*state), parts.values(), (3, 1, 2), strict=True):
        expected = own(*state[:n])
        scale = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=scale)


def test_live_parameters_of_functions_are_joined():
    arm = sg.load("panda")
    choice = Choice(parameters=("panda_joint5.armature", "panda_link6.mass", "panda_joint2.origin"))
    made = asked_functions(arm, ("x=potential_energy+mass_matrix+jacobian:panda_hand_tcp",), choice)["x"]
    assert isinstance(made, sg.Function)
    (parameters,) = (a for a in made.arguments if a.name == "parameters")
    assert made.arguments[-1] is parameters
    q = np.linspace(-1.0, 1.0, 7)
    energy, M, J = made(q, np.array(parameters.nominal))
    np.testing.assert_allclose(energy, sg.potential_energy(arm)(q), rtol=1e-12)
    np.testing.assert_allclose(M, sg.mass_matrix(arm)(q), atol=1e-12)
    np.testing.assert_allclose(J, sg.frame_jacobian(arm, "panda_hand_tcp")(q), atol=1e-12)


def test_functions_that_do_not_go_together_are_refused():
    arm, other = sg.load("rr"), sg.load("rrr")
    with pytest.raises(sg.InputError, match="arguments 'q' of its functions differ"):
        sg.together("x", {"a": sg.mass_matrix(arm), "b": sg.mass_matrix(other)})
    with pytest.raises(sg.InputError, match="computes with float32"):
        sg.together("x", {"a": sg.mass_matrix(arm), "b": sg.mass_matrix(arm).astype("float32")})
    with pytest.raises(sg.InputError, match="no functions"):
        sg.together("x", {})
