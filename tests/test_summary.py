"""Every public object shows itself in one line, whatever it holds."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any, ForwardRef

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.cuda.arrays import DeviceArray
from screwgraph.compiler.backends.cuda.driver import Memory
from screwgraph.compiler.backends.cuda.function import CudaFunction
from screwgraph.compiler.backends.jax import JaxFunction
from screwgraph.compiler.backends.torch.function import TorchFunction
from screwgraph.mechanics.kinematics.targets import Point
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.model.robot import Cable, LoopMotor, Thruster, Transmission
from screwgraph.motion.estimation import OnlineSmoother, Replay
from screwgraph.motion.planning import ExactPath, Planner, Task, read_task
from screwgraph.motion.planning.limits import VelocityLimit
from screwgraph.spatial import SpatialInertia, Taylor
from screwgraph.tape import Tape

LONGEST = 200
"""Characters of one line."""
MANY = 8
"""Entries of collections, rows of arrays, where classes are filled."""


def public_classes() -> list[type]:
    """Return the classes that packages name in `__all__`, without those that are abstract or show no values."""
    packages = ["screwgraph", *(m.name for m in pkgutil.walk_packages(sg.__path__, "screwgraph.") if m.ispkg)]
    modules = [importlib.import_module(name) for name in packages]
    named = [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]
    classes = {thing for thing in named if inspect.isclass(thing) and thing.__module__.startswith("screwgraph.")}
    kept = (c for c in classes if not issubclass(c, BaseException | Enum) and not getattr(c, "_is_protocol", False))
    kept = (c for c in kept if c.__repr__ is not object.__repr__ and not inspect.isabstract(c))
    return sorted(kept, key=lambda c: (c.__module__, c.__name__))


CLASSES = public_classes()


def from_fields(kind: type) -> bool:
    """Whether a class is shown by its fields, so that any values of these will do."""
    return kind.__repr__ is one_line or hasattr(kind, "_fields") or hasattr(kind.__repr__, "__wrapped__")


def filled(kind: type, samples: dict[str, Any]) -> Any:
    """Return an instance of a dataclass that holds much: fields are filled by what their annotations say."""
    if not is_dataclass(kind):  # a named tuple
        return kind(*(_value(_written(annotation), samples) for annotation in kind.__annotations__.values()))
    made = object.__new__(kind)
    for field in fields(kind):
        object.__setattr__(made, field.name, _value(str(field.type), samples))
    return made


def _written(annotation: Any) -> str:
    return annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else str(annotation)


def _value(annotation: str, samples: dict[str, Any]) -> Any:
    head = re.split(r"[\[|]", annotation)[0].strip()
    if fixed := re.fullmatch(r"tuple\[((?:float|int)(?:, (?:float|int))*)\].*", annotation):
        return (0.1234567,) * (fixed[1].count(",") + 1)
    if head in samples:
        return samples[head]
    if head in ("tuple", "list", "Sequence", "Iterable"):
        return (_value(annotation.partition("[")[2].rstrip("]").removesuffix(", ..."), samples),) * MANY
    if head in ("Mapping", "dict"):
        return {f"name {i}": 0.1 for i in range(MANY)}
    return np.zeros((MANY, 6)) if head in ("Float", "Int", "Bool", "np.ndarray") else None


@pytest.fixture(scope="module")
def samples() -> dict[str, Any]:
    """Return objects by the names of their classes: those that are not shown by their fields, and what fields hold."""
    held = {type(thing).__name__: thing for thing in _held()}
    return held | {"str": "a name", "Any": 0.1}


def _held() -> Iterator[Any]:
    """Yield what users hold: models, graphs, code, motions, plans, estimates."""
    yield from (0.1234567, 12345, True, Tape().input("x", range(100)), SpatialInertia())
    robot, bar = sg.load("rr"), sg.load_mechanism("four_bar_angle")
    graph = sg.dynamics_graph(sg.load("panda")).given("q", "qd", "tau")
    five, leg = sg.load("five_bar"), sg.load("belt_leg")
    yield from (*five.loops, *five.frames, *leg.couplings, five.mobility)
    yield from (Transmission(leg.couplings[0]), LoopMotor("motor", five.loops[0].name))
    yield Cable("rope", (("base", (0.0, 0.0, 0.0)), ("link1", (0.1, 0.2, 0.3))))
    yield Thruster("jet", {"base[3]": 1.0, "base[1]": 0.2})
    yield from (robot, *robot.joints, *robot.links, bar, graph, *graph.variables, *graph.variables.values())
    yield graph.factors[0]
    dag = sg.eliminate(graph, sg.orderings.aba())
    yield from (dag, dag.equations, dag.elimination, *dag.elimination.steps[:1], *dag.blocks[:1], dag.cliques)
    function = sg.forward_dynamics(robot)
    yield from (function, function.blocked(), function.program, function.program.operations)
    yield CudaFunction(function.name, function.arguments, function.results, function.dtype, "")
    named = SimpleNamespace(name=function.name)
    yield JaxFunction(function.plain, function.name)
    yield TorchFunction(named, function, torch=None, way=None, operator=None, number=None, __name__=function.name)
    yield DeviceArray((4096,), (7,), np.dtype(float), Memory(0, SimpleNamespace(cuMemFree=int)), 0)
    run = sg.simulate(robot, time=0.1, dt=0.01)
    yield from (run, sg.Simulator(robot), sg.Environment(robot, 2), sg.rollout(robot, time=0.01))
    yield Replay(run, OnlineSmoother(robot, [], 0.01), (), np.ones(len(run.t)))
    yield sg.identify(robot, sg.simulate(robot, time=0.5, dt=0.01))
    yield sg.excitation(robot, period=2.0, harmonics=2, velocity=1.0)
    moved = sg.simulate(bar, time=0.4, dt=0.01)
    yield moved
    yield sg.inverse_trajectory(bar, {"t": moved.t, "theta": moved.q[:, 4]})
    yield sg.estimate(bar, {"t": moved.t} | simulate_sensors(bar, {"q": moved.q, "v": moved.qd, "a": moved.qdd}))
    reach = sg.inverse_kinematics(robot, Point(robot.links[-1].name))
    yield from (reach, reach((0.5, 0.0, 0.5)))
    planner = Planner(read_task("cp2"))
    plan = planner.solve()
    yield from (planner, plan, plan.result, plan.result.problem)
    yield Taylor(1.0, 2.0)
    yield sg.plan(Task(robot, limits=(VelocityLimit(1.0),), path=ExactPath([[0.0, 0.0], [1.0, 0.2]], 20)))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: f"{c.__module__.removeprefix('screwgraph.')}.{c.__name__}")
def test_every_public_object_is_shown_in_one_line(kind, samples):
    made = [thing for thing in samples.values() if type(thing) is kind]
    made += [filled(kind, samples)] if from_fields(kind) else []
    assert made
    for shown in map(repr, made):
        assert "\n" not in shown
        assert len(shown) < LONGEST


def test_lines_name_fields_and_end_where_they_would_be_too_long():
    @dataclass(frozen=True)
    class Pair:
        __repr__ = one_line
        first: int
        second: np.ndarray
        last: tuple[str, ...] = ()

    assert repr(Pair(1, np.zeros((2, 3)))) == "<Pair first: 1, second: 2 x 3 array, last: ()>"
    many = make_dataclass("Many", [(f"number_{i}", int, 7) for i in range(40)], namespace={"__repr__": one_line})
    line = repr(many())
    assert line.startswith("<Many number_0: 7, number_1: 7, ")
    assert line.endswith(", ...>")
    assert len(line) <= LONGEST


def test_collections_of_up_to_four_plain_values_are_shown_whole():
    held = make_dataclass("Held", ["few", "many", "mixed"], repr=False, namespace={"__repr__": one_line})
    assert (
        repr(held((1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 2.0, held)))
        == "<Held few: (1, 2, 3, 4), many: 5 int, mixed: 3 values>"
    )
