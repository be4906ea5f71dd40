"""Parameters of mechanisms as variables of their graphs: against mechanisms that were read with other values."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import Key
from tests.mechanics.mechanism.oracle import accelerations

LIVE = ("mass", "length", "cog_x", "I0", "xb", "z2")
"""Keys of inertias, of lengths, of where the ground is and of ratios of gears."""


def compiled(mechanism, names):
    known = ["q", "qd", *(["tau"] if mechanism.motors else []), "parameter"]
    return sg.compile(sg.dynamics_graph(mechanism, parameters=names).given(*known), "qdd")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", sg.mechanism_names())
def test_parameters_are_inputs_of_the_dynamics(name):
    mechanism = sg.load_mechanism(name)
    known = dict(mechanism.source.values)
    names = [k for k, v in known.items() if v and k.partition(":")[0] in ("mass", "length", "cog_x", "I0", "stiffness")]
    values = [known[k] * (1.3 if k.startswith(("mass", "I0")) else 1.02) for k in names]
    function, rng = compiled(mechanism, names), np.random.default_rng(0)
    changed = sg.load_mechanism(name, dict(zip(names, values, strict=True)))
    tau = [rng.standard_normal(len(mechanism.motors))] if mechanism.motors else []
    for model, numbers in ((mechanism, [known[k] for k in names]), (changed, values)):
        q, qd = model.home, rng.standard_normal(model.n)
        expected = accelerations(model, q, qd, tau[0] if tau else 0.0)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(function(q, qd, *tau, numbers), expected, atol=1e-9 * scale)


@pytest.mark.parametrize("name", ["four_bar_angle", "slider_crank", "gear_train"])
def test_residuals_of_live_parameters_vanish_at_their_solution_and_are_those_of_other_values_in_the_file(name):
    mechanism, rng = sg.load_mechanism(name), np.random.default_rng(1)
    known = dict(mechanism.source.values)
    names = [k for k, v in known.items() if v and k.partition(":")[0] in LIVE]
    values = {k: known[k] * rng.uniform(1.01, 1.05) for k in names}
    changed = sg.load_mechanism(name, values)
    live = sg.dynamics_graph(mechanism, parameters=names).given("q", "qd", "tau", "parameter")
    q, qd, tau = changed.home, rng.standard_normal(mechanism.n), rng.standard_normal(len(mechanism.motors))
    parts = {"q": q, "qd": qd, "tau": tau, "parameter": [values[k] for k in names]}
    at = {}
    for kind, numbers in parts.items():
        at |= zip((key for key in live.variables if key.kind == kind), np.reshape(numbers, (-1, 1)), strict=True)
    unknown = [v.key for v in live.unknowns]
    at |= zip(unknown, sg.compile(live, unknown).few(q, qd, tau, parts["parameter"]), strict=True)
    size = max(np.abs(at[key]).max() for key in unknown)
    of_file = {factor.name: factor for factor in sg.dynamics_graph(changed).factors}
    nominal = {**at, **{Key("parameter", k): np.array([known[k]]) for k in names}}
    moved = 0.0
    for factor in live.factors:
        for law in (factor, of_file[factor.name]):
            np.testing.assert_allclose(law.residual(at), 0.0, atol=1e-9 * size)
        other = {key: at[key] + rng.standard_normal(len(at[key])) for key in factor.keys if key.kind != "parameter"}
        expected = of_file[factor.name].residual({**at, **other})
        np.testing.assert_allclose(
            factor.residual({**at, **other}), expected, atol=1e-9 * (size + np.abs(expected).max())
        )
        nominally = np.abs(factor.residual(nominal)).max()
        is_live = any(key.kind == "parameter" for key in factor.keys)
        assert is_live or nominally <= 1e-9 * size
        moved = max(moved, nominally)
    assert moved > 1e-6 * size


def test_derivatives_by_parameters_are_differences_and_code_in_c_has_them():
    mechanism = sg.load_mechanism("four_bar_angle")
    names = ["mass:coupler", "xb", "cog_x:rocker"]
    function = compiled(mechanism, names)
    p = np.array([dict(mechanism.source.values)[name] for name in names])
    q, qd, tau = mechanism.home, np.ones(5), [0.5]
    J = function.jacobian("parameters")(q, qd, tau, p)
    step = 1e-6
    differences = [(function(q, qd, tau, p + d) - function(q, qd, tau, p - d)) / (2 * step) for d in step * np.eye(3)]
    np.testing.assert_allclose(J, np.transpose(differences), atol=1e-8 * np.abs(J).max())
    assert "parameter" in function.c_source()


def test_a_factor_touches_the_parameters_that_it_depends_on():
    graph = sg.dynamics_graph(sg.load_mechanism("four_bar_angle"), parameters=["mass:crank", "length:coupler"])
    touched = {f.name: [k.name for k in f.keys if k.kind == "parameter"] for f in graph.factors}
    mass = {name for name, keys in touched.items() if "mass:crank" in keys}
    # The crank's end has two coordinates; a rod's inertia depends on its length, the slope of its constraint does not.
    assert mass == {"force_balance 1", "force_balance 2"}
    assert all("length:coupler" not in keys for name, keys in touched.items() if name.startswith("constraint"))
    assert any("length:coupler" in keys for name, keys in touched.items() if name.startswith("force_balance"))


def test_unknown_parameters_and_those_of_robots_are_refused():
    mechanism = sg.load_mechanism("four_bar_angle")
    with pytest.raises(sg.InputError, match="mass:coupler"):
        sg.dynamics_graph(mechanism, parameters=["mass:couple"])
    with pytest.raises(sg.InputError, match="twice"):
        sg.dynamics_graph(mechanism, parameters=["xb", "xb"])
    with pytest.raises(sg.InputError, match="no parameter is called 'mass:link1'"):
        sg.dynamics_graph(sg.load("rr"), parameters=["mass:link1"])
