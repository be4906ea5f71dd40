"""Laws of force: muscles and springs whose efforts follow from an input and a displacement, beside sums by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot import Coupling, Transmission
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Acceleration, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.spatial import exp

ELBOW = """
parameters: {{area: pi*0.01**2, rest: 0.3, arm: 0.03, t: 25*pi/180}}
bodies: [{{link: forearm, joint: elbow, axis: y, mass: 1, com: [0, 0, -0.15], inertia: [0.01, 0.01, 0.001]}}]
actuators:
  - {{actuator: flexor, displacement: arm*elbow, force: "{law}", unit: Pa, bounds: [0, 500e3]}}
  - {{actuator: extensor, displacement: -arm*elbow, force: "{law}", unit: Pa, bounds: [0, 500e3]}}
"""
MCKIBBEN = "u*area*(3*(0.85 - l/rest)**2/tan(t)**2 - 1/sin(t)**2)"
INERTIA, WEIGHT = 0.01 + 0.15**2, 0.15 * 9.81


def pull(p, displacement):
    """Return the force of McKibben's muscle by hand."""
    t, part = np.radians(25.0), 0.85 - displacement / 0.3
    return p * np.pi * 0.01**2 * (3.0 * part**2 / np.tan(t) ** 2 - 1.0 / np.sin(t) ** 2)


@dataclass(frozen=True)
class Stiffening:
    """A law of one's own that is not linear in the pressure: the spring constant grows with it, the force saturates."""

    k: float = 400.0

    def __call__(self, p, displacement):
        """Return the force."""
        return 80.0 * (1.0 - exp(-2e-6 * p)) - self.k * (1.0 + 1e-6 * p) * displacement


def test_motions_under_pressures_are_those_by_hand():
    robot = sg.load(ELBOW.format(law=MCKIBBEN))
    forward, rng = sg.forward_dynamics(robot, actuators=True), np.random.default_rng(0)
    for _ in range(5):
        (q,), p = rng.uniform(-0.8, 0.8, 1), rng.uniform(0.0, 5e5, 2)
        torque = 0.03 * (pull(p[0], 0.03 * q) - pull(p[1], -0.03 * q))
        assert forward([q], [0.0], p) == pytest.approx([(torque - WEIGHT * np.sin(q)) / INERTIA], rel=1e-10)
        assert robot.actuation_torques([q], p) == pytest.approx([torque], rel=1e-12)


def test_the_least_pressures_hold_an_arm():
    robot = sg.load(ELBOW.format(law=MCKIBBEN))
    least = sg.inverse_dynamics(robot, actuators=True, effort_limits=True)
    for q in (-0.5, 0.2, 0.6):
        p = least([q], [0.0], [0.0])
        needed = abs(WEIGHT * np.sin(q)) / 0.03 / pull(1.0, 0.03 * abs(q))
        assert p == pytest.approx([needed, 0.0] if q > 0 else [0.0, needed], rel=1e-9, abs=1e-6)
    free = sg.inverse_dynamics(robot, actuators=True)([0.4], [0.0], [1.0])
    assert sg.forward_dynamics(robot, actuators=True)([0.4], [0.0], free) == pytest.approx([1.0], rel=1e-9)
    arms = np.array([pull(1.0, 0.012), -pull(1.0, -0.012)])
    assert free == pytest.approx(arms * (free @ arms) / (arms @ arms), rel=1e-9), "along the lever arms: the shortest"


def test_any_law_of_ones_own_moves_and_is_planned():
    pairs = (("flexor", 0.03), ("extensor", -0.03))
    muscles = [Transmission(Coupling(n, {"elbow": r}), force=Stiffening(), bounds=(0.0, 5e5)) for n, r in pairs]
    robot = replace(sg.load(ELBOW.format(law="u")), actuators=tuple(muscles))
    (qdd,) = sg.forward_dynamics(robot, actuators=True)([0.3], [0.0], [2e5, 1e5])
    law = Stiffening()
    torque = 0.03 * (law(2e5, 0.009) - law(1e5, -0.009))
    assert qdd == pytest.approx((torque - WEIGHT * np.sin(0.3)) / INERTIA, rel=1e-10)
    with pytest.raises(InputError, match="does not give the input of actuator 'flexor'"):
        sg.inverse_dynamics(robot, actuators=True)
    rest = Position([0.5], "always"), Velocity(0.0, "always"), Acceleration(0.0, "always")
    held = Task(robot, horizon(1, duration=1.0), goals=rest, costs=(Effort(1e-10),), limits=(EffortLimit(),))
    plan = sg.plan(replace(held, collocation="none"))
    assert plan.converged, plan
    p = plan.efforts[0]
    assert 0.03 * (law(p[0], 0.015) - law(p[1], -0.015)) == pytest.approx(WEIGHT * np.sin(0.5), rel=1e-6)


def test_a_displacement_keeps_its_zero_where_a_law_reads_it(tmp_path):
    robot = sg.load(ELBOW.format(law="100*l + u").replace("displacement: arm*elbow", "displacement: arm*(elbow - 0.2)"))
    assert robot.displacements([0.5]) == pytest.approx([0.03 * 0.3, -0.03 * 0.5])
    sg.save(robot, tmp_path / "elbow.yaml")
    again = sg.load(tmp_path / "elbow.yaml")
    for one in (robot, again):
        assert one.actuation_torques([0.5], [2.0, 1.0]) == pytest.approx([0.03 * (2.9 - (1.0 - 1.5))])


def test_formulas_come_back_and_functions_are_not_written(tmp_path):
    robot = sg.load(ELBOW.format(law=MCKIBBEN))
    sg.save(robot, tmp_path / "elbow.yaml")
    again = sg.load(tmp_path / "elbow.yaml")
    assert again.actuation_torques([0.3], [1e5, 2e5]) == pytest.approx(robot.actuation_torques([0.3], [1e5, 2e5]))
    assert (again.actuators[0].unit, again.actuators[0].bounds) == ("Pa", (0.0, 5e5))
    own = replace(robot, actuators=(replace(robot.actuators[0], force=Stiffening()),))
    with pytest.raises(InputError, match="the law of force of actuator 'flexor' cannot be written"):
        sg.save(own, tmp_path / "own.yaml")


@pytest.mark.parametrize(("law", "said"), [("u*k", "neither a joint nor a parameter"), ("u*arm + l*elbow", "'elbow'")])
def test_formulas_of_something_else_are_refused(law, said):
    with pytest.raises(ModelError, match=said):
        sg.load(ELBOW.format(law=law))
