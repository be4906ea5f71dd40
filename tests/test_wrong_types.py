"""Public functions refuse what is none of their arguments in one line that names it, never with an obscure error."""

import inspect
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics import targets
from screwgraph.model.robot import Sphere
from screwgraph.motion.planning.collision import BodyCapsule

WRONG = (
    None, True, -1, 2.5, float("nan"), 10**30, "nonsense", "", b"bytes", [], {"a": 1}, {1: 2}, ["nonsense"], [None],
    np.zeros(3), np.array("x"), np.array([None]), object(), [[1, 2], [3]], 1j, iter(["q"]), range(3), slice(3), np,
)  # fmt: skip
ZERO = np.zeros(2)


@cache
def robot():
    return sg.load("rr")


@cache
def closed():
    return sg.load("five_bar")


@cache
def mechanism():
    return sg.load_mechanism("four_bar_angle")


@cache
def graph():
    return sg.dynamics_graph(robot())


@cache
def function():
    return sg.forward_dynamics(robot(), ordering="aba")


@cache
def live():
    return sg.inverse_dynamics(robot(), parameters=["link1"])


@cache
def simulator():
    return sg.Simulator(robot())


def environment():
    made = sg.Environment(robot(), 2)
    made.reset(seed=0)
    return made


@cache
def motion():
    return sg.simulate(robot(), time=0.02, dt=0.01)


T = np.linspace(0.0, 1.0, 20)
MEASURED = {"t": T[:5], "a": np.zeros(5)}
LOG = {"t": T, "q": np.column_stack([np.sin(3.0 * T), np.cos(2.0 * T)]), "qd": np.cos(np.outer(T, [3.0, 2.0])),
       "qdd": np.sin(np.outer(T, [4.0, 5.0])), "tau": np.ones((20, 2))}  # fmt: skip
SENSORS = [{"sensor": "a", "joint_position": "joint1", "sigma": 0.01}]
DYNAMICS = {"coordinates": "spanning", "ordering": "rnea", "external_wrenches": (), "dtype": "float64"}
CALLS = {
    "Steps": lambda: (sg.Steps, {"at": [1.0, 2.0], "heights": [0.1, 0.2]}),
    "bias_forces": lambda: (sg.bias_forces, {"robot": robot(), **DYNAMICS}),
    "forward_dynamics": lambda: (sg.forward_dynamics, {"robot": robot(), **DYNAMICS, "actuators": False}),
    "inverse_dynamics": lambda: (
        sg.inverse_dynamics,
        {"robot": robot(), **DYNAMICS, "actuated": ["joint1"], "weights": None, "actuators": False},
    ),
    "hybrid_dynamics": lambda: (sg.hybrid_dynamics, {"robot": robot(), "accelerations": ["joint1"], **DYNAMICS}),
    "mass_matrix": lambda: (sg.mass_matrix, {"robot": robot(), "parameters": (), "payload": None, "dtype": "float64"}),
    "compile": lambda: (
        sg.compile,
        {"graph": graph().given("q", "qd", "tau"), "solve": "qdd", "ordering": "aba", "dtype": "float64"},
    ),
    "with_pin_forces": lambda: (
        lambda graph, name: sg.with_pin_forces(graph, name),
        {"graph": sg.dynamics_graph(mechanism()), "name": "crank.A"},
    ),
    "dynamics_graph": lambda: (sg.dynamics_graph, {"model": robot(), "external_wrenches": (), "parameters": ()}),
    "eliminate": lambda: (
        sg.eliminate,
        {"graph": graph().given("q", "qd", "tau"), "ordering": "aba", "variables": ["tau"], "constants": None},
    ),
    "over": lambda: (sg.over, {"graph": graph(), "steps": 2, "h": 0.01, "rule": "trapezoidal"}),
    "estimate": lambda: (
        sg.estimate,
        {"model": robot(), "measurements": MEASURED, "parameters": (), "inputs": ["joint1"], "sensors": SENSORS,
         "q0": None, "qd0": None, "noise": None},
    ),
    "excitation": lambda: (
        sg.excitation,
        {"robot": robot(), "parameters": None, "payload": None, "period": 2.0, "harmonics": 2,
         "objective": "condition", "velocity": 1.0, "acceleration": None, "seed": 0, "points": 20},
    ),
    "identify": lambda: (
        sg.identify,
        {"robot": robot(), "log": LOG, "parameters": None, "payload": None, "priors": None, "prior_weight": 1.0,
         "motor_constants": None, "cutoff": None, "loss": None, "held_out": 5},
    ),
    "inverse_trajectory": lambda: (
        sg.inverse_trajectory,
        {"model": robot(), "trajectory": {"t": T, "joint1": 0 * T, "joint2": 0 * T}, "q0": None, "noise": None},
    ),
    "simulate": lambda: (
        sg.simulate,
        {"model": robot(), "q0": None, "qd0": None, "time": 0.02, "dt": 0.01, "method": "rk4", "tau": None,
         "rtol": None, "atol": None, "coordinates": None, "window": None, "marginal": None, "integrator": None,
         "noise": None, "watch": None},
    ),
    "controller": lambda: (
        sg.controller,
        {"model": robot(), "tasks": [sg.control.PostureTask()], "contacts": (), "ground": None, "limits": None,
         "dtype": "float64"},
    ),
    "mpc": lambda: (
        sg.mpc,
        {"model": robot(), "dt": 0.01, "horizon": 3, "actuated": None, "limits": None, "iterations": 1,
         "barrier_steps": 2, "dtype": "float64"},
    ),
    "load": lambda: (
        sg.load,
        {"source": "rr", "base": "fixed", "lock": (), "model": None, "gravity": None, "damping": True,
         "strict": False, "snap": 0.0, "xacro_args": None, "packages": (), "values": None},
    ),
    "load_mechanism": lambda: (sg.load_mechanism, {"source": "four_bar_angle", "values": None}),
    "save": lambda: (sg.save, {"robot": robot(), "path": "robot.yaml"}),
    "plan": lambda: (lambda task: sg.plan(task, iterations=0), {"task": None}),
    "Planner": lambda: (sg.Planner, {"task": None}),
    "Search": lambda: (
        sg.Search, {"seconds": 1.0, "rounds": 1, "seed": 0, "executor": None, "workers": 1, "progress": print},
    ),
    "Robot": lambda: (sg.Robot, {"name": "rr", "links": robot().links, "joints": robot().joints}),
    "Variable": lambda: (sg.Variable, {"key": sg.Key("force", "tip"), "dim": 3}),
    "factor": lambda: (sg.factor, {"linear": ["x"], "cites": "me", "solved": None, "conjugate": ()}),
    "with_loop": lambda: (sg.with_loop, {"graph": graph(), "loop": None}),
    "with_actuators": lambda: (lambda graph, name: sg.with_actuators(graph, name), {"graph": graph(), "name": "x"}),
    "with_soft": lambda: (
        lambda graph, name, sigma: sg.with_soft(graph, name, sigma=sigma),
        {"graph": graph(), "name": "torque", "sigma": 1.0},
    ),
    "with_measurements": lambda: (
        lambda graph, name, sigma: sg.with_measurements(graph, name, sigma=sigma),
        {"graph": graph(), "name": "q", "sigma": 1.0},
    ),
    "with_bounds": lambda: (
        lambda graph, name, lower, upper, priority: sg.with_bounds(
            graph, name, lower=lower, upper=upper, priority=priority
        ),
        {"graph": graph(), "name": "tau", "lower": -1.0, "upper": 1.0, "priority": 0},
    ),
    "with_inequality": lambda: (
        lambda graph, factor, lower, upper, priority: sg.with_inequality(
            graph, factor, lower=lower, upper=upper, priority=priority
        ),
        {"graph": graph(), "factor": graph().factors[-1], "lower": -1.0, "upper": 1.0, "priority": 0},
    ),
    "with_point_contacts": lambda: (
        lambda graph, frame, friction, normal, normal_force: sg.with_point_contacts(
            graph, frame, friction=friction, normal=normal, normal_force=normal_force
        ),
        {
            "graph": sg.dynamics_graph(robot(), external_wrenches=["link2"], poses=["link2"]),
            "frame": "link2",
            "friction": 0.5,
            "normal": (0.0, 0.0, 1.0),
            "normal_force": 0.0,
        },
    ),
    "graph.given": lambda: (lambda name: graph().given(name), {"name": "q"}),
    "graph.select": lambda: (graph().select, {"names": ["q"]}),
    "graph.factor": lambda: (graph().factor, {"name": "torque:joint1"}),
    "graph.with_factors": lambda: (lambda factor: graph().with_factors(factor), {"factor": None}),
    "graph.with_variables": lambda: (lambda variable: graph().with_variables(variable), {"variable": None}),
    "graph.without": lambda: (lambda factor: graph().without(factor), {"factor": "torque:joint1"}),
    "graph.replaced": lambda: (graph().replaced, {"old": "torque:joint1", "new": graph().factors[0]}),
    "function": lambda: (
        lambda q, qd, tau, out: function()(q, qd, tau, out=out), {"q": ZERO, "qd": ZERO, "tau": ZERO, "out": None},
    ),
    "function.with_parameters": lambda: (live().with_parameters, {"values": {"link1": np.zeros(10)}}),
    "function.parameter_vector": lambda: (live().parameter_vector, {"values": {"link1": np.zeros(10)}}),
    "function.astype": lambda: (function().astype, {"dtype": "float32"}),
    "function.jacobian": lambda: (lambda by: function().jacobian(by), {"by": "q"}),
    "function.code": lambda: (function().code, {"language": "c"}),
    "robot.link": lambda: (robot().link, {"name": "link1"}),
    "robot.joint": lambda: (robot().joint, {"name": "joint1"}),
    "robot.frame": lambda: (robot().frame, {"name": "link1"}),
    "robot.children": lambda: (robot().children, {"link": "link1"}),
    "robot.random": lambda: (robot().random, {"rng": np.random.default_rng(0)}),
    "robot.actuation_matrix": lambda: (robot().actuation_matrix, {"q": ZERO}),
    "robot.close_loops": lambda: (
        closed().close_loops, {"q_guess": closed().neutral(), "independent": None, "tolerance": 1e-12},
    ),
    "robot.complete": lambda: (closed().complete, {"y": ZERO, "branch": None}),
    "robot.with_independent_joints": lambda: (closed().with_independent_joints, {"names": None}),
    "trajectory.at": lambda: (motion().at, {"times": 0.01}),
    "trajectory.resampled": lambda: (motion().resampled, {"times": [0.0, 0.01]}),
    "trajectory.coordinate": lambda: (motion().coordinate, {"name": "joint1"}),
    "trajectory.save": lambda: (motion().save, {"path": "motion.csv"}),
    "inverse kinematics of values": lambda: (
        lambda value, start: sg.inverse_kinematics(robot(), "link2")(value, start=start),
        {"value": np.eye(4), "start": ZERO},
    ),
    "targets.Pose": lambda: (targets.Pose, {"frame": "link2", "at": np.eye(4), "weight": 1.0}),
    "targets.Point": lambda: (
        lambda frame, at, weight, offset, axes: sg.inverse_kinematics(
            robot(), targets.Point(frame, at, weight, offset, axes)
        ),
        {"frame": "link2", "at": None, "weight": 1.0, "offset": np.zeros(3), "axes": "xy"},
    ),
    "targets.Posture": lambda: (
        lambda at, weight, joints: sg.inverse_kinematics(robot(), targets.Posture(at, weight, joints))(),
        {"at": ZERO, "weight": 1.0, "joints": ["joint1"]},
    ),
    "Simulator.reset": lambda: (simulator().reset, {"q": ZERO, "qd": ZERO}),
    "Environment.step": lambda: (environment().step, {"actions": ZERO}),
    "Simulator.step": lambda: (simulator().step, {"tau": ZERO}),
    "minimal_distance": lambda: (
        sg.minimal_distance,
        {"robot": robot(), "obstacles": [], "shapes": "capsules", "itself": False, "allowed": (), "each": False,
         "dtype": "float64"},
    ),
    "BodyCapsule": lambda: (
        BodyCapsule, {"link": "link1", "start": np.zeros(3), "end": np.ones(3), "radius": 0.1},
    ),
    "mechanism.index": lambda: (mechanism().index, {"coordinate": "x1"}),
    "mechanism.point": lambda: (mechanism().point, {"reference": 0}),
    "mechanism.motor_forces": lambda: (mechanism().motor_forces, {"tau": np.zeros(1)}),
}  # fmt: skip
"""Functions, and sound arguments; where there are none, None."""
UNTRIED = {
    "BaseParameters",
    "Dag",
    "Factor",
    "FactorGraph",
    "Function",
    "Key",
    "Mechanism",
    "Ordering",
    "Plan",
    "Rollouts",
    "Task",
    "Trajectory",
}
"""What functions return, and data that is checked where it is used."""
SOUND = {
    "shape": lambda: Sphere(0.1),
    "robots": lambda: {"a": robot(), "b": robot()},
    "heights": lambda: [[0.0, 0.1], [0.2, 0.3]],
    "count": lambda: 2,
    "robot": robot,
    "model": robot,
    "graph": graph,
    "frame": lambda: "link2",
    "frames": lambda: ["link2"],
    "targets": lambda: "link2",
    "name": lambda: "both",
    "prefix": lambda: "arm",
    "folder": lambda: "code",
    "functions": lambda: {"mass_matrix": sg.mass_matrix(robot())},
}
"""Arguments of functions that are called alike."""


def tried(name):
    """Return a function, and sound arguments."""
    if name in CALLS:
        return CALLS[name]()
    function = getattr(sg, name)
    parameters = inspect.signature(function).parameters.values()
    return function, {p.name: SOUND[p.name]() if p.default is p.empty else p.default for p in parameters}


def public():
    """List the names of all public functions and classes of data."""
    found = {name: getattr(sg, name) for name in sg.__all__ if callable(getattr(sg, name))}
    errors = {n for n, value in found.items() if inspect.isclass(value) and issubclass(value, Exception)}
    return sorted((found.keys() - errors - UNTRIED) | CALLS.keys())


@pytest.mark.parametrize("function", public())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_no_argument_is_refused_in_one_line(function, tmp_path, monkeypatch):
    """Values that some argument takes after all must do no harm either."""
    monkeypatch.chdir(tmp_path)
    (call, sound), said = tried(function), []
    for argument in sound:
        others = () if argument in ("robot", "model", "graph") else (robot(), mechanism(), graph())
        for wrong in (*WRONG, *others):
            try:
                call(**{**sound, argument: wrong})
            except sg.ScrewgraphError as error:
                said.append(str(error))
    assert not [text for text in said if not text.isprintable() or len(text) > 500]


@pytest.mark.parametrize("what", [None, "rr", 3, np.zeros(3)])
def test_a_model_that_is_none_is_refused_with_where_to_get_one(what):
    for query in (sg.forward_dynamics, sg.mass_matrix, sg.dynamics_graph, sg.simulate):
        with pytest.raises(sg.InputError, match=r"expected a robot or a mechanism.*load one with sg.load"):
            query(what)


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda: sg.world(["a1"]), r"load one with sg.load\('a1'\)"),
        (lambda: sg.world({"left": robot(), "right": "panda"}), r"load one with sg.load\('panda'\)"),
        (lambda: sg.world(robot()), "give a list, also of one"),
        (lambda: sg.Simulator(robot(), contacts=["tool"]), r"sg.Contact\('tool'\)"),
        (lambda: sg.mpc(robot(), contacts=["tool"]), r"sg.Contact\('tool'\)"),
        (lambda: sg.Simulator(robot(), contacts=sg.Contact("tool")), "give a list, also of one"),
        (lambda: sg.controller(robot(), ["posture"]), r"make one with sg.control.PostureTask\(\)"),
    ],
)
def test_items_that_are_none_are_refused_with_how_to_make_them(call, fix):
    with pytest.raises(sg.InputError, match=fix):
        call()


def test_flags_numbers_and_names_are_checked():
    with pytest.raises(sg.InputError, match="load: damping: expected True or False, got str 'no'"):
        sg.load("rr", damping="no")
    with pytest.raises(sg.InputError, match="over: h: expected a number, got float nan"):
        sg.over(graph(), 2, float("nan"))
    with pytest.raises(sg.InputError, match=r"external_wrenches: expected names \(a list of str\), got int 3"):
        sg.forward_dynamics(mechanism(), external_wrenches=3)
    with pytest.raises(sg.InputError, match="Search: rounds: expected an integer, got str 'many'"):
        sg.Search(rounds="many")
    with pytest.raises(TypeError, match="unexpected keyword argument 'orders'"):
        sg.forward_dynamics(robot(), orders="aba")


def test_a_text_is_one_name_and_iterators_are_read_once():
    one = sg.forward_dynamics(robot(), external_wrenches="link2", ordering="aba")
    assert one.arguments == sg.forward_dynamics(robot(), external_wrenches=iter(["link2"]), ordering="aba").arguments
