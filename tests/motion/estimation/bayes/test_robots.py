"""Networks of robots, trees, closed chains and floating bases: any subset known, against Pinocchio and integration."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states, without_loops
from screwgraph.motion.estimation import bayes_network
from screwgraph.motion.estimation.bayes.instant import solve_dynamics
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from tests.motion.estimation.robots import thrown
from tests.oracle import oracle
from tests.pinocchio_loops import ConstrainedOracle

INSTANT = bayes_network(1)
TREES = {"rr": lambda: sg.load("rr"), "cart_pole": lambda: sg.load("cart_pole"), "thrown": thrown}


def _state(robot, seed=0):
    rng = np.random.default_rng(seed)
    return robot.random(rng), *(rng.normal(size=(3, robot.nv)))


def _close(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", TREES)
def test_accelerations_and_torques_follow_from_each_other(name):
    """A floating base has no motor: its acceleration follows, whatever the motors do."""
    robot = TREES[name]()
    q, qd, _, tau = _state(robot)
    motors = [i for i, unit in enumerate(robot.columns["tau"]) if not unit.name.startswith("fly")]
    tau[np.setdiff1d(np.arange(robot.nv), motors)] = 0.0
    qdd = oracle(robot).forward_dynamics(q, qd, tau)
    known = {"q": q, "qd": qd, "Q": tau[motors]}
    _close(INSTANT.given(robot, *known)(known)["qdd"], qdd)
    known = {"q": q, "qd": qd, "qdd": qdd}
    _close(INSTANT.given(robot, *known)(known)["Q"], tau[motors])


def test_manifolds_have_as_many_numbers_as_their_kind():
    """Of a floating base, too, whose independent position is a pose: eight numbers, seven directions."""
    model = NetworkModel.from_model(thrown())
    for kind in model.parts:
        if model.size(kind):
            assert model.manifold(kind).shape == (model.size(kind),)
    z = np.asarray(model.manifold("z").retract(model.robot.neutral(), np.ones(model.nv)))
    np.testing.assert_allclose(z, model.positions.retract(model.robot.neutral(), np.ones(model.nv)), atol=1e-15)


def test_one_joint_moves_as_told_and_the_other_is_pushed():
    """Hybrid dynamics: the torque of one joint and the acceleration of the other are found by Pinocchio's numbers."""
    robot = sg.load("rr")
    q, qd, _, tau = _state(robot, 1)
    qdd = oracle(robot).forward_dynamics(q, qd, tau)
    first, second = robot.joint_names
    known = {"q": q, "qd": qd, f"qdd:{first}": qdd[0], f"Q:{second}": tau[1]}
    found = INSTANT.given(robot, *known)(known)
    _close(found["Q"], tau)
    _close(found["qdd"], qdd)


def test_torques_at_rest_tell_where_a_robot_stands():
    """Positions from torques: gravity takes those torques there, by Pinocchio."""
    robot = sg.load("rr")
    torque = 0.5 * oracle(robot).bias_forces(np.zeros(2), np.zeros(2))
    known = {"qd": 0.0, "qdd": 0.0, "Q": torque}
    q = INSTANT.given(robot, *known)(known, {"q": [0.9, 0.2]})["q"]
    np.testing.assert_allclose(oracle(robot).bias_forces(q, np.zeros(2)), torque, atol=1e-8)


@pytest.fixture(scope="module")
def linkage():
    """A planar four-bar robot, a closed position, a velocity."""
    robot = sg.load("four_bar_linkage")
    (q,) = closed_states(robot, 1, seed=2)
    return robot, q, robot.complete_velocity(q, np.full(robot.mobility.freedom, 0.7))


def test_a_closed_chain_moves_by_its_motors_and_multipliers(linkage):
    robot, q, qd = linkage
    tau = np.linspace(-1.0, 2.0, robot.nv)
    known = {"q": q, "qd": qd, "Q": tau}
    found = INSTANT.given(robot, *known)(known)
    expected = ConstrainedOracle(robot).forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(found["qdd"], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    # Known multipliers tell the torques, which are otherwise too many:
    known = {"q": q, "qd": qd, "qdd": found["qdd"], "lambda": found["lambda"]}
    _close(INSTANT.given(robot, *known)(known)["Q"], tau)
    tree = oracle(without_loops(robot)).inverse_dynamics(q, qd, found["qdd"])
    assert np.linalg.norm(tree - tau) > 1e-3  # loops do push


def test_torques_that_loops_leave_free_are_counted_and_named(linkage):
    robot, q, qd = linkage
    known = {"q": q, "qd": qd, "qdd": robot.complete_velocity(q, np.zeros(robot.mobility.freedom))}
    qdd = INSTANT.given(robot, "q", "qd", "Q")({"q": q, "qd": qd, "Q": 0.0})["qdd"]
    rank = robot.mobility.rank
    many = f"{rank} degrees of freedom are" if rank > 1 else "1 degree of freedom is"
    with pytest.raises(sg.InputError, match=f"^{many} left undetermined .*such as Q:") as told:
        INSTANT.given(robot, "q", "qd", "qdd")(known | {"qdd": qdd})
    names = str(told.value).split("such as ")[1].split(", or ask")[0].split(", ")
    assert len(names) == rank
    settled = {"q": q, "qd": qd, "qdd": qdd} | dict.fromkeys(names, 0.0)
    assert INSTANT.given(robot, *settled)(settled)["Q"].shape == (robot.nv,)


STEPS, DT = 21, 0.01


def _run(robot, seed=0):
    """A motion under torques of the motors that change, integrated to ten digits."""
    rng = np.random.default_rng(seed)
    q0 = closed_states(robot, 1, seed=2)[0] if robot.is_closed else robot.random(rng)
    free = np.array([not column.name.startswith("fly") for column in robot.columns["tau"]])
    scale = 0.3 * np.median(np.diag(sg.mass_matrix(without_loops(robot))(q0))) * free

    def tau(t, q, qd):
        return scale * np.cos(3.0 * t + np.arange(robot.nv))

    run = sg.simulate(robot, q0, time=(STEPS - 1) * DT, dt=DT, tau=tau, method="dop853", rtol=1e-10, atol=1e-10)
    return run, np.array([tau(t, None, None)[free] for t in run.t])


def _off(robot, found, expected):
    return max(
        np.abs(np.asarray(robot.manifold.difference(a, b), dtype=float)).max()
        for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("name", [*TREES, "four_bar_linkage"])
@pytest.mark.parametrize("integrator", ["trapezoidal", "hermite_simpson", "runge_kutta"])
@pytest.mark.sampled(5)
def test_a_start_and_torques_make_the_motion(name, integrator):
    """Errors are of second order: of the rule, or of torques that are means over a step."""
    robot = TREES[name]() if name in TREES else sg.load(name)
    run, torques = _run(robot)
    errors = []
    for k in (2, 1):
        known = {"q_0": run.q[0], "qd_0": run.qd[0], "Q": torques[::k]}
        found = bayes_network(len(torques[::k])).given(robot, *known, dt=k * DT, integrator=integrator)(known)
        errors.append(_off(robot, found["q"], run.q[::k]))
    coarse, fine = errors
    assert fine < 0.3 * coarse  # a quarter
    assert coarse < 1e-2 * np.abs(run.qd).max() * run.t[-1]


@pytest.mark.parametrize("name", TREES)
@pytest.mark.sampled(2)
def test_torques_first_and_then_a_path(name):
    """What is known changes on the way; quaternions of the base are known as a whole."""
    robot = TREES[name]()
    run, torques = _run(robot)
    known = {"q_0": run.q[0], "qd_0": run.qd[0]}
    known |= {f"Q_{k}": torques[k] for k in range(10)} | {f"q_{k}": run.q[k] for k in range(10, STEPS)}
    found = bayes_network(STEPS).given(robot, *known, dt=DT)(known)
    assert _off(robot, found["q"], run.q) < 1e-4
    assert np.abs(found["Q"] - torques).max() < 2e-2 * np.abs(torques).max()


def test_both_ends_and_torques_are_a_boundary_value_problem():
    robot = sg.load("rr")
    run, torques = _run(robot)
    known = {"q_0": run.q[0], f"q_{STEPS - 1}": run.q[-1], "Q": torques}
    found = bayes_network(STEPS).given(robot, *known, dt=DT)(known)
    assert _off(robot, found["q"], run.q) < 1e-4
    np.testing.assert_allclose(found["qd"][0], run.qd[0], atol=1e-2)


def test_a_closed_chain_follows_the_path_of_its_crank(linkage):
    """One motor is known to idle at each other joint: the crank's torque follows from its angle alone."""
    robot, _, _ = linkage
    run, torques = _run(robot)
    (crank,) = robot.independent_joints
    place = robot.v_slices[crank].start
    others = [name for name in robot.joint_names if name != crank]
    known = {f"q:{crank}": run.q[:, robot.q_slices[crank].start]}
    known |= {f"Q:{name}": torques[:, robot.v_slices[name].start] for name in others}
    found = bayes_network(STEPS).given(robot, *known, dt=DT)(known, {"q": run.q[0]})
    assert _off(robot, found["q"], run.q) < 1e-4
    assert np.abs(found["Q"] - torques)[2:-2, place].max() < 2e-2 * np.abs(torques).max()


def test_independent_coordinates_are_those_of_independent_joints(linkage):
    robot, q, qd = linkage
    network = bayes_network(1, "independent")
    (crank,) = robot.independent_joints
    i = robot.v_slices[crank].start
    known = {"q": q, "qd": qd, "Q": 0.0}
    free = INSTANT.given(robot, *known)(known)
    known = {"z": q[[i]], "zd": qd[[i]], "Q": 0.0}
    found = network.given(robot, *known)(known, {"q": q})
    _close(found["q"], q)
    _close(found["qdd"], free["qdd"])
    _close(found["zdd"], free["qdd"][[i]])


@pytest.mark.parametrize(("huber", "read"), [(0.0, 0.8), (1.0, 0.71)])
def test_sensors_observe_robots(huber, read):
    """Two gyroscopes on one hand weigh alike: the velocity is their mean, or near the one that counts fully.

    Beyond one standard deviation, the slope of Huber's loss is 1 / sigma: (x - 1) / sigma^2 = 1 / sigma.
    """
    robot = sg.load("rr")
    link = robot.link_names[-1]
    sensors = [{"sensor": f"gyro{k}", "gyroscope": link, "sigma": 0.01} for k in range(2)]
    sensors[1] |= {"huber": huber} if huber else {}
    axis = np.asarray(sg.forward_kinematics(robot, link)(np.zeros(2)))[:3, :3].T @ [0.0, 0.0, 1.0]
    network = bayes_network(1, observed=True).given(robot, "q", "qd:joint1", "o", solve=["qd"], sensors=sensors)
    known = {"q": 0.0, "qd:joint1": 0.3, "o:gyro0": 1.0 * axis, "o:gyro1": 1.2 * axis}
    np.testing.assert_allclose(network(known)["qd"], [0.3, read], atol=1e-4)


@pytest.mark.parametrize("option", ["bias", "delay"])
def test_sensors_with_unknowns_of_their_own_are_refused(option):
    robot = sg.load("rr")
    gyro = {"sensor": "gyro", "gyroscope": robot.link_names[-1], "sigma": 0.01, option: 0.1}
    with pytest.raises(sg.InputError, match=f"sensor 'gyro' has a {option}: .*use sg.estimate"):
        bayes_network(1, observed=True).given(robot, "q", "qd:joint1", "o", solve=["qd"], sensors=[gyro])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: INSTANT.given(r, "q:elbow"), "no coordinate is called 'elbow'"),
        (lambda r: INSTANT.given(r, "Q:fly"), "no motor is called 'fly'"),
        (lambda r: INSTANT.given(r, "q:fly[2]"), r"q:fly\[2\] is no quantity of its own"),
        (lambda r: INSTANT.given(r, "q:fly")({"q:fly": np.ones(7)}), "values of q:fly are off"),
        (lambda r: INSTANT.given(r, "lambda"), "no kind of quantity is called 'lambda'"),
    ],
)
def test_bad_knowns_of_robots_are_refused(call, message):
    with pytest.raises(sg.InputError, match=message):
        call(thrown())


def test_first_guesses_take_account_of_what_actuators_pull_by_themselves():
    """A spring beside a push: 2 qdd = u - 50 q, whichever of qdd and u is known."""
    text = (
        "bodies: [{link: cart, joint: rail, type: prismatic, axis: x, mass: 2}]\n"
        'actuators: [{actuator: push, displacement: rail, force: "u - 50*l"}]\n'
    )
    model, unknown = NetworkModel.from_model(sg.load(text)), np.array([np.nan])
    q, qd = np.array([0.3]), np.zeros(1)
    np.testing.assert_allclose(solve_dynamics(model, q, qd, unknown, np.array([5.0]))[0], [-5.0], atol=1e-12)
    np.testing.assert_allclose(solve_dynamics(model, q, qd, np.array([1.0]), unknown)[1], [17.0], atol=1e-12)


def test_each_independent_position_has_its_own_velocity():
    model = NetworkModel.from_model(sg.load("belt_leg"))
    rates = [part.label for part in model.parts["zd"]]
    assert [[rates[row] for row in part.rows] for part in model.parts["z"]] == [["hip"], ["knee"], ["ankle"]]
    for i, part in enumerate(model.parts["z"]):
        known = np.zeros((1, 3), dtype=bool)
        known[0, list(part.columns)] = True
        np.testing.assert_array_equal(model.mark_rows("z", known), np.eye(3, dtype=bool)[[i]])
