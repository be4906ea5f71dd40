"""Derivatives of steps beside central differences, of contacts that stick, slide, or are in the air."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.motion.simulation.contacts.laws.row_factors import factor_rows, solve_rows
from tests.motion.simulation.contacts.bodies import box, feet, quadruped, standing
from tests.motion.simulation.contacts.steps.test_fast_joints import REACH, chain, throw

DT = 1e-3
BY = {"q": 1e-8, "qd": 1e-6, "tau": 1e-4, "contacts": 1e-5}
"""Arguments, and steps of differences: less than what feet sink by, 1e-6 m; numbers of contacts: relative."""


def arguments(simulator, tau):
    return [np.array(x) for x in (simulator.q, simulator.qd, tau, *simulator._last)]


def differences(f, values, name, step):
    """Return the derivatives of all results by an argument, whose numbers change by a step."""
    place = [a.name for a in f.arguments].index(name)
    sides, steps = [], np.full(values[place].size, step)
    if name == "contacts":  # compliances are small
        steps *= np.maximum(np.abs(values[place]), 1e-9)
    for sign in (1.0, -1.0):
        rows = np.tile(values[place], (values[place].size, 1)) + sign * np.diag(steps)
        sides.append(f.ufunc(*(rows if i == place else x for i, x in enumerate(values))))
    return [
        np.moveaxis((a - b) / (2.0 * steps.reshape(-1, *[1] * (a.ndim - 1))), 0, -1)
        for a, b in zip(*sides, strict=True)
    ]


def compare(f, values, names=tuple(BY), share=2e-5):
    """Compare derivatives of positions, velocities and forces, relative to the largest of each."""
    found = iter(f.jacobian(*names).ufunc(*values))
    for name in names:
        for result, wanted in zip(f.results, differences(f, values, name, BY[name]), strict=True):
            own = next(found)
            if result.name in ("q", "qd", "forces"):
                size = np.abs(own).max()
                np.testing.assert_allclose(
                    own, wanted, atol=share * max(size, 1e-4), err_msg=f"{result.name} by {name}"
                )


@pytest.fixture(scope="module")
def stands():
    robot = quadruped(names="ad")
    simulator = sg.Simulator(robot, DT, standing(robot, 0.3502), contacts=feet("ad"))
    hold = np.concatenate([np.zeros(6), np.tile([0.0, 3.0], 2)])
    simulator.step(hold, steps=40)
    assert (simulator.forces[:, 2] > 1.0).all()
    return simulator, hold


@pytest.fixture(scope="module")
def kneels():
    """A five-bar linkage on one knee, and its torques."""
    robot, tau = sg.load("five_bar"), np.array([0.2, -0.1, 0.0, 0.0])
    knees = [sg.Contact(robot.links[3].name), sg.Contact(robot.links[4].name, friction=0.05)]
    simulator = sg.Simulator(robot, DT, contacts=knees, ground=sg.Plane((0, 1, 0), 0.43))
    simulator.step(tau, steps=60)
    return simulator, tau


def test_feet_that_stick(stands):
    simulator, hold = stands
    compare(simulator.function, arguments(simulator, hold))


def test_a_foot_that_slides_beside_one_in_the_air(stands):
    simulator, hold = stands
    values = arguments(simulator, hold)
    values[1][3:5] = 0.8, 0.2
    values[2][6:8] = 4.0, -8.0
    values[1][6:8] = 0.5, -3.0
    values[4][::4] = 0.1
    forces = simulator.function.ufunc(*values)[2]
    pressing = forces[:, 2] > 0.0
    assert pressing.sum() == 1
    edge = np.linalg.norm(forces[pressing, :2], axis=1) / (0.1 * forces[pressing, 2])
    np.testing.assert_allclose(edge, 1.0, atol=1e-6)
    compare(simulator.function, values)


def test_batches_single_states_and_pickled_functions_agree(stands):
    simulator, hold = stands
    values, f = arguments(simulator, hold), pickle.loads(pickle.dumps(simulator.function))
    slopes = f.jacobian("qd")
    one, many = slopes(*values), slopes(*(np.stack([x] * 9) for x in values))
    for a, b in zip(one, many, strict=True):
        np.testing.assert_allclose(b[4], a, rtol=1e-9, atol=1e-9)


def test_jax_follows_gradients_through_steps(stands):
    """A velocity after three steps by torques, beside differences."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    simulator, hold = stands
    values, step = arguments(simulator, hold), simulator.function.jax()

    def rise(tau):
        q, qd, forces = values[0], values[1], values[5]
        for _ in range(3):
            q, qd, forces, *_ = step(q, qd, tau, values[3], values[4], forces)
        return qd[5]

    slope = np.array(jax.grad(rise)(hold))
    for i in (6, 9):
        e = 1e-4 * np.eye(len(hold))[i]
        wanted = float(rise(hold + e) - rise(hold - e)) / 2e-4
        assert slope[i] == pytest.approx(wanted, rel=1e-4, abs=1e-9)


@pytest.mark.extra
def test_pytorch_follows_gradients_through_steps_of_loops(kneels):
    """A velocity after three steps by torques and friction, of two five-bar linkages, beside differences."""
    torch = pytest.importorskip("torch")
    simulator, tau = kneels
    q, qd, _, dt, laws, last = (torch.tensor(x) for x in arguments(simulator, tau))
    laws[0], step = 0.1, simulator.function.torch()

    def speed(efforts, numbers):
        state = [torch.stack([x, x]) for x in (q, qd, last)]
        for _ in range(3):
            *state, _, _ = step(*state[:2], efforts, dt, numbers, state[2])
        return state[1][:, 0].sum()

    given = [torch.tensor(np.stack([tau, 0.5 * tau])).requires_grad_(), laws.clone().requires_grad_()]
    slopes = torch.autograd.grad(speed(*given), given)
    for k, (at, rise) in enumerate((((1, 0), 1e-4), ((0,), 1e-6))):
        ends = [[x.detach().clone() for x in given] for _ in range(2)]
        ends[0][k][at] += rise
        ends[1][k][at] -= rise
        wanted = float(speed(*ends[0]) - speed(*ends[1])) / (2.0 * rise)
        assert float(slopes[k][at]) == pytest.approx(wanted, rel=1e-4)
        assert abs(wanted) > 1e-4


@given(st.integers(0, 2**32 - 1))
def test_systems_are_solved_and_rows_that_repeat_are_left_out(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(5, 5)) + 5.0 * np.eye(5)
    y = solve_rows(*factor_rows(A.tolist()), rng.normal(size=5).tolist())
    assert np.isfinite(np.array(y, dtype=float)).all()
    b = A @ np.arange(5.0)
    np.testing.assert_allclose(
        np.array(solve_rows(*factor_rows(A.tolist()), b.tolist()), dtype=float), np.arange(5.0), atol=1e-9
    )
    half = rng.normal(size=(2, 4))
    J = np.vstack([half, half.sum(axis=0)])
    G, wanted = J @ J.T, J @ np.ones(4)
    x = np.array(solve_rows(*factor_rows(G.tolist()), wanted.tolist()), dtype=float)
    np.testing.assert_allclose(G @ x, wanted, atol=1e-6 * np.abs(G).max())


def test_a_closed_chain_on_its_knees(kneels):
    """One knee sticks, the other is above the ground; then it slides."""
    simulator, tau = kneels
    (along, up, _), other = simulator.forces
    assert abs(along) < 0.79 * up
    assert not other.any()
    values = arguments(simulator, tau)
    compare(simulator.function, values, ("q", "qd", "tau"))  # velocities do not depend on how soft the ground is
    values[4][0] = 0.1
    along, up, _ = simulator.function.ufunc(*values)[2][0]
    assert abs(along) == pytest.approx(0.1 * up, rel=1e-6)
    compare(simulator.function, values)


def test_a_rod_of_a_mechanism_on_its_ends():
    rod = """
points: [{name: P, x: 0, y: 0}, {name: Q, x: 1, y: 0}]
bodies: [{name: rod, points: [P, Q], length: 1, mass: 2, cog: [0.5, 0], I0: 0.667}]
"""
    simulator = sg.Simulator(sg.load_mechanism(rod), DT, contacts=[sg.Contact("P"), sg.Contact("Q", friction=0.1)])
    simulator.step(steps=20)
    values = [np.array(x) for x in (simulator.q, simulator.qd, *simulator._last)]
    values[1][[0, 2]] = 0.3
    compare(simulator.function, values, ("q", "qd", "contacts"))


def test_a_sliding_box_by_its_friction():
    """Its velocity changes by -g dt a unit of friction."""
    robot, contacts = box(0.3, 1e6)
    simulator = sg.Simulator(robot, DT, np.array([0, 0, 0.05, 0, 0, 0, 1.0]), [0, 0, 0, 1.0, 0, 0], contacts=contacts)
    simulator.step(steps=50)
    values = arguments(simulator, np.zeros(6))
    slopes = simulator.function.jacobian("contacts")
    by_friction = slopes.ufunc(*values)[1][3, ::4].sum()
    assert by_friction == pytest.approx(-9.81 * DT, rel=1e-3)
    with pytest.raises(sg.InputError, match="loops end when numbers say so"):
        slopes.jacobian("contacts")


def thrown(count, speed, restitution=0.0, **options):
    """Return a function of chains of rods, and arguments of it: of rods that turn, many of them into the ground."""
    robot, (q, qd), rng = chain(), throw(count, speed), np.random.default_rng(1)
    q[:, 2] = rng.uniform(0.02, 0.1, count)
    numbers = {"friction": 0.3, "restitution": restitution}
    tip, body = sg.Contact("lower", 0.01, at=REACH, **numbers), sg.Contact("base", 0.05, **numbers)
    simulator = sg.Simulator(robot, DT, contacts=[tip, body], **options)
    tau, values, forces = np.zeros((count, robot.nv)), simulator._last[1], np.zeros((2, 3))
    tau[:, 6:] = rng.normal(size=(count, 2))
    return simulator.function, [[*own, np.array([DT]), values, forces] for own in zip(q, qd, tau, strict=True)]


@pytest.mark.parametrize(("speed", "restitution"), [(2.0, 0.0), (30.0, 0.0), (100.0, 0.6), (250.0, 0.0)])
def test_fast_joints_have_the_derivatives_of_the_step_that_is_taken(speed, restitution):
    """Slow ones of one solution; then of a second one; of shorter steps, whose energy is bounded.

    Those of whole steps and first solutions were off by up to 16 times what they are.
    """
    f, states = thrown(25, speed, restitution)
    names, pushing, compared = {"q": 1e-7, "qd": 1e-6, "tau": 1e-5, "dt": 1e-9, "contacts": 1e-6}, 0, 0
    slopes = f.jacobian(*names)
    for values in states:
        found, pushes = iter(slopes.ufunc(*values)), f.ufunc(*values)[2].any()
        pushing += pushes
        for name, step in names.items():
            sides = [differences(f, values, name, share * step) for share in (1.0, 0.5)]
            for result, wide, wanted in zip(f.results, *sides, strict=True):
                own, size = next(found), max(np.abs(wanted).max(), 1e-6)
                if result.name not in ("q", "qd", "forces") or np.abs(wide - wanted).max() > 1e-4 * size:
                    continue  # a contact switches between both sides
                compared += pushes
                np.testing.assert_allclose(own, wanted, atol=2e-4 * size, err_msg=f"{result.name} by {name}")
    assert pushing > 5
    assert compared > 10 * pushing


def test_fast_steps_side_by_side_in_single_precision_and_in_the_air():
    """Each is what it is alone; derivatives are numbers, also where bodies are far from the ground."""
    f, states = thrown(24, 100.0)
    for k in range(4):
        states[k][0][2] += 5.0
    slopes = f.jacobian("q", "contacts")
    together = slopes(*(np.stack(x) for x in zip(*states, strict=True)))
    short = thrown(1, 100.0, dtype="float32")[0].jacobian("q", "contacts")
    for k, values in enumerate(states):
        alone, rough = slopes(*values), short(*(x.astype(np.float32) for x in values))
        for many, one, single in zip(together, alone, rough, strict=True):
            np.testing.assert_array_equal(many[k], one)
            np.testing.assert_allclose(single, one, atol=1e-3 * max(np.abs(one).max(), 1.0))


def test_jax_has_derivatives_of_shorter_steps():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, states = thrown(3, 100.0)
    step = f.jax()
    moved = jax.jit(jax.jacrev(lambda qd, values: step(values[0], qd, *values[1:])[1]))
    for q, qd, *others in states:
        np.testing.assert_allclose(
            moved(qd, (q, *others)), f.jacobian("qd").ufunc(q, qd, *others)[1], rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("speed", [40.0, 150.0, -80.0])
def test_loops_that_turn_fast_have_second_solutions_and_bounds(kneels, speed):
    """The last leaves the ground, in one step of a good way: three passages that close it were off by 3e-2."""
    simulator, tau = kneels
    values = arguments(simulator, tau)
    values[1] = values[1] * (speed / np.abs(values[1]).max())
    values[4][0] = 0.1
    assert simulator.function.ufunc(*values)[2].any() == (speed > 0.0)
    compare(simulator.function, values)
