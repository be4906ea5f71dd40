"""Displacements of actuators and couplings with every function: lever arms, accelerations, derivatives, text."""

import cmath
import math

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import casadi_of
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.equations import CALLED, parse_coupling
from screwgraph.model.robot.functions import OF_ONE
from screwgraph.tape import Tape, program
from tests.model.formats.helpers import close, complaint, loaded

CABLES = """
name: cdpr
gravity: [0, 0, 0]
bodies:
  - {link: sx, joint: x, type: prismatic, axis: x}
  - {link: ee, joint: z, type: prismatic, axis: z, mass: 1, inertia: [1, 1, 1]}
actuators:
"""
CORNERS = [(3, 0), (3, 3), (0, 3), (0, 0)]
ANCHORS = [(0.15, -0.15), (0.15, 0.15), (-0.15, 0.15), (-0.15, -0.15)]
LENGTHS = {
    "powers": "-((px+{a}-{x})**2+(pz+{b}-{z})**2)**0.5",
    "roots": "-sqrt((px+{a}-{x})**2+(pz+{b}-{z})**2)",
    "hypot": "-hypot(px+{a}-{x}, pz+{b}-{z})",
    "pow": "-pow((px+{a}-{x})**2+(pz+{b}-{z})**2, 1/2)",
    "exp and log": "-exp(log((px+{a}-{x})**2+(pz+{b}-{z})**2)/2)",
    "a power of its own": "-((px+{a}-{x})**2+(pz+{b}-{z})**2)**0.75/((px+{a}-{x})**2+(pz+{b}-{z})**2)**0.25",
}


def cables(folder, how):
    lines = []
    for i, ((x, z), (a, b)) in enumerate(zip(CORNERS, ANCHORS, strict=True)):
        text = LENGTHS[how].format(a=a, b=b, x=x, z=z)
        lines.append(f'  - {{actuator: c{i}, displacement: "{text}", joints: {{px: x, pz: z}}}}')
    return loaded(CABLES + "\n".join(lines), folder, "cdpr.yaml")


def directions(q):
    """Unit vectors along which tensions pull."""
    ways = np.array(CORNERS) - (np.array(q) + ANCHORS)
    return (ways / np.linalg.norm(ways, axis=1, keepdims=True)).T


@pytest.mark.parametrize("how", LENGTHS)
def test_cables_pull_along_themselves(how, tmp_path):
    robot = cables(tmp_path, how)
    for q in ([1.5, 1.5], [0.4, 2.2], [2.0, 0.9]):
        close(robot.actuation_matrix(q), directions(q), 1e-13)
    sg.save(robot, tmp_path / "again.yaml")
    close(sg.load(tmp_path / "again.yaml").actuation_matrix([0.4, 2.2]), directions([0.4, 2.2]), 1e-13)


def test_tensions_accelerate_the_platform(tmp_path):
    robot = cables(tmp_path, "powers")
    f = sg.forward_dynamics(robot, actuators=True)
    tensions = np.array([1.0, 0.0, 0.0, 1.0])
    close(f([1.5, 1.5], np.zeros(2), tensions), [0, -math.sqrt(2)], 1e-12)
    q, step = np.array([0.4, 2.2]), 1e-6
    close(f(q, np.zeros(2), tensions), directions(q) @ tensions, 1e-12)
    moved = [(directions(q + s) @ tensions - directions(q - s) @ tensions) / (2 * step) for s in step * np.eye(2)]
    close(f.jacobian("q")(q, np.zeros(2), tensions), np.array(moved).T, 1e-8)


AT = {"acosh": 1.7, "log": 0.6, "sqrt": 0.6, "abs": -0.6}
"""Where functions are that have no value at 0.4."""
TEXTS = (
    "atan2(x, y)",
    "min(x, y)",
    "max(x, y)",
    "hypot(x, y, 0.2)",
    "pow(x, 1.7)",
    "x**-1.5",
    "x**y",
    "abs(x*y)*sqrt(x+2)",
)
CASES = {f"{name}(x)": (AT.get(name, 0.4), 0.0) for name in OF_ONE} | dict.fromkeys(TEXTS, (0.3, -0.7))


def displacement(text):
    return parse_coupling("d", f"{text} + 0.5*y", {}, {"x": "x", "y": "y"}, "d", Place("d"))


@pytest.mark.parametrize("text", CASES)
def test_values_and_derivatives_of_every_function(text):
    d, at = displacement(text), dict(zip("xy", CASES[text], strict=True))
    q, qd, h = np.array([at[name] for name in d.joints]), np.array([0.8, -1.1])[: len(d.joints)], 1e-5
    others = {"sqrt": cmath.sqrt, "log": cmath.log, "exp": cmath.exp}
    if not any(word in text for word in ("erf", "min", "max", "hypot", "pow", "abs", "atan2", "**")):
        name = text.partition("(")[0]
        expected = (others | {n: getattr(cmath, n) for n in OF_ONE if hasattr(cmath, n)})[name](at["x"]).real
        close(float(d(q)), expected + 0.5 * at["y"])
    slopes = [(d(q + s) - d(q - s)) / (2 * h) for s in h * np.eye(len(q))]
    np.testing.assert_allclose(d.gradient(q), slopes, rtol=1e-8, atol=1e-9)
    close(d.gradient(q), [complex(d(q + 1e-30j * s)).imag / 1e-30 for s in np.eye(len(q))])
    second = (d.gradient(q + h * qd) - d.gradient(q - h * qd)) @ qd / (2 * h)
    np.testing.assert_allclose(d.curvature(q, qd), second, rtol=1e-7, atol=1e-8)
    tape = Tape(merge="form")
    x = np.array([tape.input(f"x{i}", []) for i in range(len(q))], dtype=object)
    code = program(tape, [d(x), *d.gradient(x), d.curvature(x, qd)], [f"x{i}" for i in range(len(q))])
    close(code.evaluate(q.tolist()), [d(q), *d.gradient(q), d.curvature(q, qd)])
    again = parse_coupling("d", d.text(), {}, {"x": "x", "y": "y"}, "d", Place("d"))
    close(float(again(q)), float(d(q)))
    if "erf" not in text:
        close(np.array(casadi_of(d.gradient, q.shape)(q)).ravel(), d.gradient(q))


def test_constants_are_worked_out_by_every_function():
    own = {"ln": math.log, "abs": abs, "min": min, "max": max}
    for name, (least, _) in CALLED.items():
        numbers = [1.5 if name == "acosh" else 0.5] * least
        d = parse_coupling("d", f"x*{name}({', '.join(map(str, numbers))})", {}, {"x": "x"}, "d", Place("d"))
        assert d.is_linear, name
        (slope,) = d.gradient(np.zeros(1))
        assert float(slope) == pytest.approx((own | vars(math))[name](*numbers), rel=1e-14), name


PAIR = """
bodies:
  - {link: a, joint: x, type: prismatic, axis: x, mass: 1, inertia: [1, 1, 1]}
  - {link: b, parent: base, joint: y, axis: y, mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0]}
couplings:
"""


@pytest.mark.parametrize("equation", ["x = sqrt(1 + y**2) - 1", "x = hypot(1, y) - 1", "x = (1 + y**2)**0.5 - 1"])
def test_couplings_with_roots_are_dynamics(equation, tmp_path):
    text = f"{PAIR}  - {{coupling: cam, equation: '{equation}'}}\nindependent: [y]\n"
    robot = loaded(text, tmp_path, "pair.yaml")
    y, yd, tau = 0.7, 1.3, 0.4
    q = robot.complete([y])
    close(q, [math.sqrt(1 + y * y) - 1, y], 1e-11)
    qd = robot.complete_velocity(q, [yd])
    slope, curvature = y / math.sqrt(1 + y * y), (1 + y * y) ** -1.5
    close(qd, [slope * yd, yd], 1e-11)
    inertia = 1.0 + 0.01 + slope**2
    weight = 9.81 * 0.1 * math.cos(y)
    expected = (tau + weight - slope * curvature * yd**2) / inertia
    qdd = sg.forward_dynamics(robot)(q, qd, np.array([0.0, tau]))
    close(qdd, [slope * expected + curvature * yd**2, expected], 1e-9)


BAD = {
    "floor(k)": "known are",
    "atan2(k)": "atan2 takes 2 numbers, not 1",
    "hypot(k)": "hypot takes 2 or more numbers, not 1",
    "sqrt(-1)*k": "a part of it is not a real number",
    "k**99": "exponents of positions are at most 16",
    "log(0)*k": "a part of it is not a real number",
    "True*k": "only joints, numbers, parameters",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_displacement_is_refused(text, tmp_path):
    file = CABLES + f"  - {{actuator: c, displacement: {text}, joints: {{k: x}}}}\n"
    assert BAD[text] in complaint(file, tmp_path, "cdpr.yaml")


def test_machine_code_batches_and_derivatives_have_every_function(tmp_path):
    body = "type: revolute, axis: y, mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0]"
    text = f"bodies:\n  - {{link: a, joint: x, {body}}}\n  - {{link: b, joint: y, at: [0, 0, 1], {body}}}\nactuators:\n"
    texts = [f"{name}({'x+1.5' if name == 'acosh' else 'x'})" for name in OF_ONE]
    texts += ["atan2(x,y)", "min(x,y*y)", "max(x,y)", "hypot(x,y)", "x**1.7", "x**y"]
    lines = [f'  - {{actuator: m{i}, displacement: "{displaced}"}}\n' for i, displaced in enumerate(texts)]
    robot = loaded(text + "".join(lines), tmp_path, "all.yaml")
    f, of_torques = sg.forward_dynamics(robot, actuators=True), sg.forward_dynamics(robot)
    q, qd, effort = np.array([0.4, 0.7]), np.array([0.3, -0.2]), np.random.default_rng(0).normal(size=len(texts))
    expected = of_torques(q, qd, robot.actuation_matrix(q) @ effort)
    close(f(q, qd, effort), expected, 1e-12)
    close(f(np.tile(q, (20, 1)), qd, effort), np.tile(expected, (20, 1)), 1e-12)
    h = 1e-6
    slopes = [(f(q + s, qd, effort) - f(q - s, qd, effort)) / (2 * h) for s in h * np.eye(2)]
    np.testing.assert_allclose(f.jacobian("q")(q, qd, effort), np.array(slopes).T, atol=1e-8 * np.abs(slopes).max())


def test_simulations_have_functions_of_the_c_library(tmp_path):
    equation = "x = log(y + 1.2) + acosh(y + 2) + sqrt(y + 1.1)"
    text = f"{PAIR}  - {{coupling: cam, equation: '{equation}'}}\nindependent: [y]\n"
    robot = loaded(text, tmp_path, "pair.yaml")
    start = robot.complete([0.3])
    run = sg.simulate(robot, start, time=0.1, dt=1e-3)
    assert run.energy_drift < 1e-10
    assert np.abs([robot.couplings[0](q[[0, 1]]) for q in run.q]).max() < 1e-10
    steps = sg.Simulator(robot, 1e-3, start)
    steps.step()
    close(steps.q, run.q[1], 1e-5)


def test_efforts_are_found_where_the_neutral_position_has_no_lever_arms(tmp_path):
    displacement = '{actuator: c, displacement: "-hypot(x, z)"}'
    robot = loaded(f"{CABLES}  - {displacement}\n  - {{actuator: d, terms: {{x: 1}}}}\n", tmp_path, "cdpr.yaml")
    q, effort = np.array([0.6, 0.8]), np.array([2.0, -1.0])
    qdd = sg.forward_dynamics(robot, actuators=True)(q, np.zeros(2), effort)
    close(qdd, [-0.6 * 2.0 - 1.0, -0.8 * 2.0], 1e-12)
    close(sg.inverse_dynamics(robot, actuators=True)(q, np.zeros(2), qdd), effort, 1e-12)
