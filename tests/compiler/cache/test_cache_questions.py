"""Whatever may change the code of a function changes its question; programs are kept exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.cache.fingerprint import fingerprint
from screwgraph.compiler.cache.program_cache import CachedCode, get_or_make_code
from screwgraph.compiler.cache.program_serialisation import pack_program, unpack_program
from screwgraph.elimination import orderings
from screwgraph.graph import Key
from screwgraph.model.robot import with_gravity
from screwgraph.model.robot.joints import Floating, Helical, Prismatic, Revolute
from screwgraph.spatial import SpatialInertia
from screwgraph.tape import Program
from tests.compiler.caches import entries

RR = sg.load("rr")


def with_joint(**changes):
    return replace(RR, joints=(replace(RR.joints[0], **changes), *RR.joints[1:]))


def with_link(inertia):
    return replace(RR, links=(RR.links[0], replace(RR.links[1], inertia=inertia), *RR.links[2:]))


def smallest_change(array):
    changed = np.array(array, dtype=float)
    changed.flat[0] = np.nextafter(changed.flat[0], 9.0)
    return changed


ROBOTS = {
    "as it is": RR,
    "gravity": with_gravity(RR, (0.0, 0.0, -1.62)),
    "inertia": with_link(RR.links[1].inertia + SpatialInertia(0.1)),
    "inertia by one bit": with_link(
        replace(RR.links[1].inertia, about_origin=smallest_change(RR.links[1].inertia.about_origin))
    ),
    "place of a joint by one bit": with_joint(origin=smallest_change(RR.joints[0].origin)),
    "type of a joint": with_joint(type=Prismatic((0.0, 0.0, 1.0))),
    "parameter of a joint": with_joint(type=Helical((0.0, 0.0, 1.0), 0.1)),
    "another parameter of a joint": with_joint(type=Helical((0.0, 0.0, 1.0), 0.2)),
    "axis of a joint": with_joint(type=Revolute((0.0, 1.0, 0.0))),
    "damping": with_joint(damping=0.5),
    "armature": with_joint(armature=0.5),
    "name of a joint": replace(RR, joints=(*RR.joints[:-1], replace(RR.joints[-1], name="other"))),
}


def test_robots_that_differ_have_different_fingerprints():
    prints = {name: fingerprint(robot) for name, robot in ROBOTS.items()}
    assert None not in prints.values()
    assert len(set(prints.values())) == len(ROBOTS)


def test_the_same_robot_has_the_same_fingerprint_whatever_was_asked_of_it():
    used = sg.load("rr")
    assert used.q_slices
    assert fingerprint(used) == fingerprint(sg.load("rr")) == fingerprint(replace(RR))


def test_every_robot_of_the_zoo_has_its_own():
    prints = [fingerprint(sg.load(name)) for name in sg.zoo_names()]
    assert None not in prints
    assert len(set(prints)) == len(prints)


@dataclass(frozen=True)
class Theirs:
    """Somebody else's class: its code may change while its name and numbers stay."""

    number: float = 1.0


@pytest.mark.parametrize("value", [Theirs(), (1, Theirs()), lambda: 1, object(), np.array([object()]), {"a": Theirs()}])
def test_what_may_depend_on_code_elsewhere_has_none(value):
    assert fingerprint(value) is None


def test_values_that_look_alike_differ():
    values = [1, 1.0, True, "1", b"1", None, (), ("",), ((),), 0.0, -0.0, np.float64(1), np.float32(1), np.array(1.0)]
    values += [np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), np.array([1, 2]), {1: 2}, (1, 2), frozenset({1, 2})]
    values += [Key("q", "a"), ("q", "a"), Floating(), orderings.min_degree, orderings.colamd]
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint(float("nan")) == fingerprint(float("nan"))
    assert fingerprint([1, 2]) == fingerprint((1, 2))
    assert fingerprint({"b", "a"}) == fingerprint({"a", "b"})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    return tmp_path


def programs(folder):
    return [entry for entry in entries(folder) if entry.suffix == ".program"]


def test_each_question_about_a_robot_is_a_question_of_its_own(folder):
    frame = RR.links[-1].name
    asked = [
        lambda robot: sg.inverse_dynamics(robot),
        lambda robot: sg.inverse_dynamics(robot, ordering="rnea"),
        lambda robot: sg.inverse_dynamics(robot, external_wrenches=[frame]),
        lambda robot: sg.forward_dynamics(robot),
        lambda robot: sg.forward_dynamics(robot, ordering=orderings.min_degree()),
        lambda robot: sg.forward_dynamics(robot, ordering=["wrench", "acceleration", "qdd"]),
        lambda robot: sg.hybrid_dynamics(robot, [RR.joint_names[0]]),
        lambda robot: sg.hybrid_dynamics(robot, [RR.joint_names[1]]),
        lambda robot: sg.bias_forces(robot),
        lambda robot: sg.mass_matrix(robot),
    ]
    for _ in range(2):
        for ask in asked:
            ask(RR)
            ask(replace(RR, warnings=("elsewhere.urdf:1: a remark",)))
    assert len(programs(folder)) == len(asked)


def test_a_changed_robot_gets_its_own_answer(folder):
    q, rest = np.array([0.3, -0.2]), np.zeros(2)
    tau = sg.inverse_dynamics(RR)(q, rest, rest)
    moon = sg.inverse_dynamics(with_gravity(RR, tuple(0.5 * np.array(RR.gravity))))(q, rest, rest)
    np.testing.assert_allclose(moon, 0.5 * tau, rtol=1e-12)
    assert len(programs(folder)) == 2


def test_orders_of_other_peoples_are_asked_every_time(folder):
    class Mine:
        asked = 0

        def order(self, graph):
            Mine.asked += 1
            return orderings.min_degree().order(graph)

    for _ in range(2):
        sg.forward_dynamics(RR, ordering=Mine())
    assert Mine.asked == 2
    assert programs(folder) == []


def test_an_order_that_somebody_registers_is_asked_every_time(folder, monkeypatch):
    monkeypatch.setitem(orderings.ORDERINGS, "mine", lambda: orderings.min_degree())
    assert sg.forward_dynamics(RR, ordering="mine").ordering == "mine"
    assert programs(folder) == []


def test_an_order_that_was_found_is_kept_with_its_program(folder):
    found = (Key("wrench", "link1"), (Key("qdd", "joint1"), 0))
    made = CachedCode(Program(("x",), (("input", 0),), (0, 1.5)), "search", found)
    assert get_or_make_code("question", lambda: made) is made
    assert get_or_make_code("question", lambda: pytest.fail("asked again")) == made


def test_what_goes_wrong_is_not_kept(folder):
    def impossible() -> CachedCode:
        raise sg.EliminationError("it cannot be done")

    with pytest.raises(sg.EliminationError):
        get_or_make_code("question", impossible)
    assert programs(folder) == []


PROGRAMS = {
    "empty": lambda: Program((), (), ()),
    "constants": lambda: Program(("x",), (), (0.25, -0.0)),
    "operations": lambda: Program(
        ("x", "θ̈:j[0]"), (("input", 1), ("constant", 0.1), ("mul", 0, 1), ("neg", 2)), (3, 0, 1e-320, np.inf)
    ),
    "forward dynamics": lambda: sg.forward_dynamics(sg.load("puma560")).program,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_come_back_exactly(name):
    program = PROGRAMS[name]()
    plain = replace(program, instructions=tuple(program.instructions))
    back = unpack_program(pack_program(plain))
    assert back == plain
    assert hash(back) == hash(plain)
    assert tuple(back.instructions) == plain.instructions
    assert all(map(np.array_equal, map(np.signbit, back.outputs), map(np.signbit, plain.outputs)))
    assert pack_program(back) == pack_program(plain)
    assert back.operations == plain.operations


def _inside(number):
    """A function of this module's kind that uses what is around it."""
    namespace = {"__name__": "screwgraph.made_up"}
    exec("def outer(n):\n    first, second = (lambda x: n * x), (lambda x: n + x)\n    return first, second", namespace)
    return namespace["outer"](number)


def test_functions_inside_of_others_are_told_apart_by_what_they_use():
    (first, second), (other, _), (same, _) = _inside(1), _inside(2), _inside(1)
    assert fingerprint(first) == fingerprint(same)
    assert len({fingerprint(f) for f in (first, second, other)}) == 3
    assert fingerprint(_inside(object())[0]) is None
