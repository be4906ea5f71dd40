"""Controllers of mechanisms beside programs in all natural coordinates, multipliers and efforts."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.mechanism import find_assembled_states
from screwgraph.model.mechanism.equations import forces, jacobian, mass_matrix
from screwgraph.motion.control import (
    CenterOfMassTask,
    ControlLimits,
    ControlLoop,
    ControlTask,
    DampingTask,
    EffortTask,
    FrameTask,
    FunctionBarrier,
    LinkCapsule,
    PostureTask,
    SelfCollisionBarrier,
    controller,
    load_controller,
    stack_barriers,
    stack_gains,
)
from screwgraph.motion.control.small_weights import FORCE_REST, TASK_REST
from tests.model.mechanism.test_dialect import LEG as KLANN


@dataclass(frozen=True)
class Case:
    """A mechanism, what it follows, and the effort of its motors; `rest` are names whose accelerations count a bit."""

    name: str
    task: ControlTask
    effort: float
    rest: tuple[str, ...]
    actuated: tuple[str, ...] | None = None

    @cached_property
    def mechanism(self):
        found = sg.load_mechanism(self.name)
        return found if self.actuated is None else replace(found, motors=self.actuated)

    @property
    def limits(self):
        return ControlLimits(efforts=dict.fromkeys(self.mechanism.motors, self.effort))


CASES = {
    "crank": Case("four_bar_angle", PostureTask(), 60.0, ("theta",)),
    "a rocker's point": Case("four_bar_angle", FrameTask("P2", of="position"), 60.0, ("theta",)),
    "effector": Case("parallel_robot", FrameTask("effector", of="position"), 300.0, ("left", "right")),
    "centre of mass": Case("slider_crank", CenterOfMassTask(), 4.0, ("theta",)),
    "in space": Case("rssr", PostureTask(), 20.0, ("theta",)),
    "underactuated": Case("double_pendulum", PostureTask(("elbow",)), 20.0, (), ("shoulder",)),
    "motors that share": Case("four_bar_angle", PostureTask(), 30.0, (), ("theta", "y:P2")),
}


def dense_constraints(mechanism, q, qd):
    """Return Phi_q of the rows that count, and its rate times qd, by complex steps."""
    kept, step = list(mechanism.freedom.kept), 1e-30

    def dense(at):
        found = np.zeros((sum(c.rows for c in mechanism.constraints), mechanism.n), dtype=complex)
        for place, value in jacobian(mechanism, list(at)).items():
            found[place] = value
        return found[kept]

    return dense(q).real, dense(q + 1j * step * qd).imag / step @ qd


def random_state(mechanism, rng):
    """Return an assembled position and a velocity that constraints allow."""
    states = find_assembled_states(mechanism, 64)
    q = states[rng.integers(len(states))]
    _, s, Vt = np.linalg.svd(dense_constraints(mechanism, q, 0.0 * q)[0])
    return q, Vt[len(s) :].T @ rng.standard_normal(mechanism.n - len(s))


def task_rows(case, q, qd):
    """Return what is followed as rows of accelerations, and what is added to them."""
    mechanism, task = case.mechanism, case.task
    if isinstance(task, PostureTask):
        names = task.joints or case.rest or ("theta",)
        return np.eye(mechanism.n)[[mechanism.index(name) for name in names]], np.zeros(len(names))
    if isinstance(task, CenterOfMassTask):
        return sg.center_of_mass_jacobian(mechanism)(q), sg.center_of_mass_acceleration(mechanism)(q, qd, 0.0 * q)
    J = np.zeros((3, mechanism.n))
    # The effector's frame is at its first point: places of points are coordinates, and accelerate like these.
    point = "5" if task.frame == "effector" else task.frame
    for axis, slot in enumerate(mechanism.point_slots[mechanism.point(point)]):
        J[axis, slot] = 1.0
    return J, np.zeros(3)


@pytest.mark.parametrize("name", CASES)
def test_the_whole_program_has_the_same_optimum(name):
    daqp = pytest.importorskip("daqp")
    case = CASES[name]
    mechanism, f = case.mechanism, controller(case.mechanism, [case.task], limits=case.limits)
    rng, met, bound = np.random.default_rng(5), 0, 0
    n, m = mechanism.n, len(mechanism.motors)
    shape, still = f.arguments[2].shape, np.zeros(f.arguments[3].shape)
    B = np.zeros((n, m))
    B[list(mechanism.motor_slots), range(m)] = 1.0
    total = sum(body.mass for body in mechanism.bodies)
    for _ in range(24):
        q, qd = random_state(mechanism, rng)
        K, drift = dense_constraints(mechanism, q, qd)
        if np.linalg.cond(K) > 1e4:
            continue
        wanted = rng.standard_normal(shape[0]) * 10.0 ** rng.uniform(0.0, 2.0)
        rates = still.copy()
        rates[1] = wanted
        tau, qdd, _, (status, *_) = f(q, qd, np.zeros(shape), rates, [[0.0, 0.0, 1.0]], np.zeros(f.arguments[-1].shape))
        k = len(K)
        E = np.block([[mass_matrix(mechanism), K.T, -B], [K, np.zeros((k, k + m))]])
        e = np.concatenate([forces(mechanism, q, qd), -drift]).astype(float)
        J, added = task_rows(case, q, qd)
        wide = np.hstack([J, np.zeros((len(J), k + m))])
        H, g = wide.T @ wide, wide.T @ (added - wanted)
        for own in case.rest:
            i = mechanism.index(own)
            H[i, i] += TASK_REST
        if not case.rest:
            H[n + k :, n + k :] += FORCE_REST / total**2 * np.eye(m)
        x0 = np.linalg.lstsq(E, e, rcond=None)[0]
        _, s, Vt = np.linalg.svd(E)
        Z = Vt[(s > 1e-9 * s[0]).sum() :].T
        A = np.eye(n + k + m)[n + k :]
        given = (A @ Z, case.effort - A @ x0, -case.effort - A @ x0)
        z, _, flag, _ = daqp.solve(
            Z.T @ H @ Z, Z.T @ (H @ x0 + g), *map(np.ascontiguousarray, given), np.zeros(m, dtype=np.int32)
        )
        if flag != 1:  # efforts do not reach
            continue
        met += 1
        best = x0 + Z @ z
        bound += np.abs(tau).max() > case.effort - 1e-6
        assert status == 0.0
        assert np.abs(tau).max() <= case.effort
        force = mass_matrix(mechanism) @ qdd - B @ tau - e[:n]
        multipliers = np.linalg.lstsq(K.T, -force, rcond=None)[0]
        own = np.concatenate([qdd, multipliers, tau])
        np.testing.assert_allclose(E @ own, e, atol=1e-7 * (1.0 + np.abs(own).max()))
        costs = [0.5 * x @ H @ x + g @ x for x in (own, best)]
        assert abs(costs[0] - costs[1]) < 1e-7 * (1.0 + abs(costs[1]) + 0.5 * wanted @ wanted)
    assert met > 12
    assert bound > 2


def test_a_crank_follows_a_sine_in_simulation():
    mechanism, w, r = sg.load_mechanism("four_bar_angle"), 6.0, 0.4
    i = mechanism.index("theta")
    given = {
        "posture": lambda t: np.array([r * (1.0 - np.cos(w * t))]),
        "posture_rates": lambda t: r * w * np.array([[np.sin(w * t)], [w * np.cos(w * t)]]),
    }
    limits = ControlLimits(efforts={"theta": 300.0})
    loop = ControlLoop(mechanism, [PostureTask(stiffness=900.0)], limits=limits, references=given)
    motion = sg.simulate(mechanism, time=0.8, dt=1e-3, controller=loop)
    missed = motion.q[:, i] - r * (1.0 - np.cos(w * motion.t))
    assert np.abs(missed).max() < 2e-3  # efforts are held for 1 ms: half a step of 14 rad/s^2 against 900 / s^2
    report = loop.report(motion)
    assert report.statuses == {"solved": len(motion.t)}
    assert report.margins["efforts"].min() == pytest.approx(1.0 - np.abs(motion.tau[:-1]).max() / 300.0, abs=1e-2)


def test_a_barrier_beside_a_filter_of_efforts_stops_a_crank():
    mechanism = sg.load_mechanism("four_bar_angle")
    i = mechanism.index("theta")
    stop = FunctionBarrier("stop", lambda model, q, qd: [q[i] + 0.3], rate=20.0)
    f = controller(mechanism, [EffortTask()], barriers=[stop])
    simulator, active, least = sg.Simulator(mechanism, 1e-3), np.zeros(f.arguments[-1].shape), 0.0
    for _ in range(1000):
        state = simulator.q, simulator.qd
        tau, _, active, _ = f(*state, [0.0], stack_gains([EffortTask()]), stack_barriers([stop]), active)
        simulator.step(tau)
        least = min(least, simulator.q[i])
    free = sg.Simulator(mechanism, 1e-3)
    free.step([0.0], steps=1000)
    assert free.q[i] < -0.5  # without the barrier it falls on
    assert -0.301 < least < -0.28


def test_files(tmp_path):
    mechanism = sg.load_mechanism("four_bar_angle")
    path = tmp_path / "tasks.yaml"
    path.write_text(
        "tasks:\n  - {frame: P2, of: position, stiffness: 50}\n  - {damped: [theta], weight: 1e-4}\n"
        "limits: {efforts: {theta: 200}}\n"
    )
    said = load_controller(path, mechanism)
    assert said.tasks == (FrameTask("P2", "position", stiffness=50.0), DampingTask(("theta",), weight=1e-4))
    assert said.limits.efforts == {"theta": 200.0}
    motion = sg.simulate(mechanism, time=0.02, dt=1e-3, controller=str(path))
    np.testing.assert_allclose(motion.q[-1], mechanism.home, atol=1e-9)
    for text, line in (("limits: {efforts: {lift: 3}}", 2), ("actuated: [lift]", 2), ("soles: [{frame: P1}]", 2)):
        path.write_text(f"tasks: [{{posture: []}}]\n{text}\n")
        with pytest.raises(ModelError, match=f"tasks.yaml:{line}"):
            load_controller(path, mechanism)


def test_what_mechanisms_cannot_have():
    mechanism = sg.load_mechanism("four_bar_angle")
    with pytest.raises(InputError, match="has no motors"):
        controller(sg.load_mechanism("four_bar"), [PostureTask()])
    with pytest.raises(InputError, match="feet are those of robots"):
        controller(mechanism, [PostureTask()], contacts=[sg.Contact("P1")])
    with pytest.raises(InputError, match="no coordinate is called 'phi'"):
        controller(mechanism, [PostureTask(("phi",))])
    with pytest.raises(InputError, match="no motor is called 'phi'"):
        controller(mechanism, [PostureTask()], limits=ControlLimits(efforts={"phi": 1.0}))
    with pytest.raises(InputError, match="self-collision of 'four_bar_angle'"):
        controller(
            mechanism,
            [PostureTask()],
            barriers=[SelfCollisionBarrier((LinkCapsule("P1", 0.1), LinkCapsule("P2", 0.1)))],
        )
    with pytest.raises(InputError, match="must be positive"):
        ControlLimits(efforts={"theta": 0.0})


def _read_jansen() -> str:
    """Return the file of the page on Jansen's leg, whose crank has a motor alone."""
    page = (Path(__file__).parents[4] / "docs" / "howto" / "leg_mechanism.md").read_text(encoding="utf-8")
    lines = page.split("```yaml")[1].split("```")[0].splitlines()
    return "\n".join(line for line in lines if not line.startswith("driven:"))


@pytest.mark.parametrize("text", [KLANN, _read_jansen()], ids=["klann", "jansen"])
def test_cranks_of_legs_have_the_power_that_their_energy_takes(text):
    """Along the motion that is asked for, the energy of all bodies grows by the motor's power."""
    leg = sg.load_mechanism(text)
    (crank,) = leg.motors
    tasks, limits = [PostureTask((crank,), stiffness=400.0)], ControlLimits(efforts={crank: 1e4})
    f, i = controller(leg, tasks, limits=limits), leg.index(crank)
    run = sg.simulate(leg, time=0.2, dt=1e-3)  # it falls: positions and velocities keep all constraints
    kinetic, potential = sg.kinetic_energy(leg), sg.potential_energy(leg)
    for k in (60, 120, 180):
        q, qd = run.q[k], run.qd[k]
        given = {a.name: np.zeros(a.shape) for a in f.arguments} | {"q": q, "qd": qd, "gains": stack_gains(tasks)}
        given["posture"] = np.array([q[i] + 0.2])
        tau, qdd, _, (status, *_) = f(**given)
        assert status == 0.0
        np.testing.assert_allclose(qdd[i], 400.0 * 0.2 - 40.0 * qd[i], rtol=1e-5)
        step = 1e-5
        ends = [(q + s * qd + 0.5 * s * s * qdd, qd + s * qdd) for s in (-step, step)]
        before, after = (float(kinetic(*end) + potential(end[0])) for end in ends)
        np.testing.assert_allclose((after - before) / (2.0 * step), tau[0] * qd[i], rtol=1e-4, atol=1e-4)
