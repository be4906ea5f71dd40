"""Every kind of sensor, recipes of docs/extend included: Jacobians, and simulated logs recovered by every estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import constraint_multipliers
from screwgraph.model.mechanism.sensors import FORMS as OF_MECHANISMS
from screwgraph.model.mechanism.sensors import SensorResidual as MechanismResidual
from screwgraph.model.mechanism.sensors import parse_sensors as parse_mechanism_sensors
from screwgraph.model.mechanism.sensors import simulate_sensors
from screwgraph.model.sensors import SENSORS
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation import OnlineSmoother, get_mechanics
from screwgraph.motion.estimation.legged import LeggedNoise, LeggedSmoother
from screwgraph.motion.estimation.readings.sensors import FORMS, SensorResidual, parse_sensors
from screwgraph.optimize import Variables, Vector, soft
from screwgraph.optimize.batch import Batch
from tests.motion.estimation.robots import thrown
from tests.motion.estimation.test_contacts import MASS, lift
from tests.oracle import pinocchio_model, to_pin_q

DT, STEPS, G, H = 0.02, 30, 9.81, 1e-6
AT = [0.4, -2.0, 1.5]
STANDING = [name for name, form in FORMS.items() if SENSORS[name].is_contact or "forces" in form.of]
MOVING = [name for name in FORMS if name not in STANDING]


def declared(kind: str, target: Any, has_place: bool, at: Any = AT, **more: float) -> dict[str, Any]:
    """A sensor as a user declares it, with its usual standard deviation."""
    place = {"at": at} if has_place else {}
    return {"sensor": "it", kind: target, "sigma": SENSORS[kind].usual.get("sigma", 0.01), **place, **more}


def compare_jacobian(template: Any, families: list[Variables], values: list[np.ndarray], measured: np.ndarray) -> None:
    """Compare derivatives of a residual with central differences."""
    factors = soft(template, *families, measured=measured, name="sensor")
    batch = Batch(factors, (("sensor", 1),))

    def residual(x: list[np.ndarray]) -> Any:
        views = {family.name: value[None] for family, value in zip(families, x, strict=True)}
        r, J, *_ = factors.kernels.whitened_jacobian(*batch.inputs(views))
        return r[0], J[0]

    expected = []
    for k, family in enumerate(families):
        for direction in H * np.eye(family.manifold.dim):
            ends = [
                residual([*values[:k], np.asarray(family.manifold.retract(values[k], step), float), *values[k + 1 :]])[
                    0
                ]
                for step in (direction, -direction)
            ]
            expected.append((ends[0] - ends[1]) / (2.0 * H))
    J = residual(values)[1]
    np.testing.assert_allclose(J, np.array(expected).T, atol=1e-7 * max(1.0, np.abs(J).max()))


@pytest.mark.parametrize("kind", FORMS)
def test_jacobians_on_robots_are_finite_differences(kind: str):
    robot, rng, form = thrown(), np.random.default_rng(1), FORMS[kind]
    mechanics = get_mechanics(robot)
    (sensor,) = parse_sensors(mechanics, [declared(kind, "wrist" if form.on == "joint" else "hand", form.has_place)])
    states = {"q": (mechanics.positions, robot.random(rng))}
    states |= {name: (Vector(robot.nv), rng.normal(size=robot.nv)) for name in ("qd", "qdd")}
    states |= {"tau": (Vector(1), rng.normal(size=1)), "forces": (Vector(3), rng.normal(size=3))}
    measured = rng.normal(size=len(sensor.columns))
    measured[[sensor.columns.index(name) for name in sensor.unit_columns]] = robot.random(rng)[3:7][
        : len(sensor.unit_columns)
    ]
    template = SensorResidual(mechanics, (sensor.place,), (robot.nv - 1,), ("hand",))
    families = [Variables(name, states[name][0], 1) for name in form.of]
    compare_jacobian(template, families, [states[name][1] for name in form.of], measured)


@pytest.mark.parametrize("kind", OF_MECHANISMS)
def test_jacobians_on_mechanisms_are_finite_differences(kind: str):
    mechanism, rng = sg.load_mechanism("four_bar_angle"), np.random.default_rng(2)
    (sensor,) = parse_mechanism_sensors(mechanism, [declare_on(mechanism, kind)])
    sizes = {"tau": 1, "multipliers": len(mechanism.freedom.kept), "forces": 2}
    families = [Variables(name, Vector(sizes.get(name, mechanism.n)), 1) for name in sensor.form.of]
    values = [rng.normal(size=family.manifold.dim) for family in families]
    template = MechanismResidual(mechanism, sensor.place, (0,), (2,))
    compare_jacobian(template, families, values, rng.normal(size=len(sensor.columns)))


def declare_on(mechanism: sg.Mechanism, kind: str, **more: float) -> dict[str, Any]:
    form = OF_MECHANISMS[kind]
    body, point, angle = mechanism.bodies[1].name, mechanism.points[2].name, mechanism.angles[0].name
    parts = {
        "body": body,
        "point": point,
        "angle": angle,
        "motor": angle,
        "pin": [body, point],
        "coordinate": angle,
        "bar": body,
    }
    return declared(kind, parts[form.on], form.has_place, AT[:2], **more)


def read(robot: sg.Robot, sensor: Sensor, run: sg.Trajectory) -> np.ndarray:
    """What a sensor reads without errors (N, columns); poses are Pinocchio's."""
    if sensor.unit_columns:
        model, data = pinocchio_model(robot)
        return np.array([pose(model, data, to_pin_q(robot, q), sensor.target) for q in run.q])
    residual, zero = SensorResidual(get_mechanics(robot), (sensor.place,), (0,)), np.zeros(len(sensor.columns))
    states = {"q": run.q, "qd": run.qd, "qdd": run.qdd, "tau": run.tau[:, :1]}
    return np.array(
        [residual(*x, measured=zero) for x in zip(*(states[name] for name in sensor.form.of), strict=True)], float
    )


def pose(model: Any, data: Any, q: np.ndarray, frame: str) -> np.ndarray:
    import pinocchio as pin

    pin.framesForwardKinematics(model, data, q)
    return pin.SE3ToXYZQUAT(data.oMf[model.getFrameId(frame)])


@pytest.fixture(scope="module")
def swinging() -> tuple[sg.Robot, sg.Trajectory]:
    robot = sg.load("rr")
    torque = lambda t, q, qd: np.array([2.0 * np.sin(8.0 * t), 0.0])  # noqa: E731
    return robot, sg.simulate(robot, [0.3, 0.2], tau=torque, time=STEPS * DT, dt=DT)


@pytest.mark.parametrize("walk", [0.0, 0.5], ids=["constant", "walking"])
@pytest.mark.parametrize("kind", MOVING)
def test_an_arm_and_a_bias_are_recovered_in_a_batch_and_in_a_loop(kind: str, walk: float, swinging: Any):
    robot, run = swinging
    rng, form, sigma = np.random.default_rng(3), FORMS[kind], SENSORS[kind].usual["sigma"]
    given = declared(kind, "joint1" if form.on == "joint" else "tool", form.has_place)
    (sensor,) = parse_sensors(get_mechanics(robot), [given])
    values, bias = read(robot, sensor, run), np.zeros((len(run.t), len(sensor.rows)))
    if not sensor.unit_columns:  # the bias of a pose is one of residuals, not of readings
        given |= {"bias": 5.0 * sigma, "walk": walk * sigma}
        bias = draw_bias(rng, bias.shape, 5.0 * sigma, walk * sigma * DT**0.5)
        values = values + bias
    values = values + sigma * rng.normal(size=values.shape) / (1.0 + bool(sensor.unit_columns))
    if sensor.unit_columns:
        values[:, 3:] /= np.linalg.norm(values[:, 3:], axis=1, keepdims=True)
    table = {"t": run.t, **dict(zip(sensor.columns, values.T, strict=True))}
    inputs = ("joint1",) if "tau" in form.of else ()
    if not inputs:
        table["tau:joint1"] = run.tau[:, 0]
    encoders = [{"sensor": name, "joint_position": name, "sigma": 2e-3} for name in robot.joint_names]
    table |= {name: x + 2e-3 * rng.normal(size=len(x)) for name, x in zip(robot.joint_names, run.q.T, strict=True)}
    options = {"inputs": inputs, "sensors": [given, *encoders], "q0": [0.3, 0.2]}

    found = sg.estimate(robot, table, **options)
    assert within(found.q - run.q, found.q_sigma)
    if "bias" in given:
        assert within(found.offsets["it"] - (bias if walk else bias[0]), found.offsets_sigma["it"])

    smoother = OnlineSmoother(robot, options.pop("sensors"), DT, window=5, integrator="hermite_simpson", **options)
    for k in range(len(run.t)):
        tau = None if inputs else run.tau[k]
        smoother.update({name: table[name][k] for name in smoother.columns}, tau)
    spread = smoother.sigma()
    assert within(smoother.q - run.q[-1], spread["q"])
    if "bias" in given:
        assert within(smoother.offsets["it"] - bias[-1], spread["offset it"])


def draw_bias(rng: np.random.Generator, shape: tuple[int, ...], first: float, change: float) -> np.ndarray:
    """Biases (N, rows): a random walk whose first value and whose changes have these standard deviations."""
    steps = change * rng.normal(size=shape)
    steps[0] = first * rng.normal(size=shape[1:])
    return np.cumsum(steps, axis=0)


def within(error: np.ndarray, sigma: np.ndarray) -> bool:
    """Whether 9 of 10 errors are within 3 standard deviations, and none is beyond 5."""
    away = np.abs(error / sigma)
    return bool(np.mean(away < 3.0) >= 0.9 and away.max() < 5.0)


@pytest.mark.parametrize("kind", STANDING)
def test_a_standing_body_is_recovered_in_a_batch_and_in_a_loop(kind: str):
    rng, t, robot = np.random.default_rng(4), DT * np.arange(STEPS), lift()
    weight = np.array([0.0, 0.0, MASS * G])
    given, sigma = declared(kind, "body", FORMS[kind].has_place), SENSORS[kind].usual["sigma"]
    (sensor,) = parse_sensors(get_mechanics(robot), [given])
    values = np.ones((STEPS, 1)) if sensor.entry.is_contact else weight + sigma * rng.normal(size=(STEPS, 3))
    table = {
        "t": t,
        **dict(zip(sensor.columns, values.T, strict=True)),
        "height:body": 0.4 + 1e-3 * rng.normal(size=STEPS),
    }
    sensors = [given, {"sensor": "height:body", "height": "body", "sigma": 1e-3}]
    found = sg.estimate(robot, table, sensors=sensors)
    assert within(found.q - 0.4, found.q_sigma)
    assert within(found.forces["body"] - weight, found.forces_sigma["body"])
    smoother = OnlineSmoother(robot, sensors, DT, window=5)
    for k in range(STEPS):
        smoother.update({name: table[name][k] for name in smoother.columns})
    spread = smoother.sigma()
    assert within(smoother.q - 0.4, spread["q"])
    assert within(smoother.forces["body"] - weight, spread["forces"])


@pytest.mark.parametrize("walk", [0.0, 0.5], ids=["constant", "walking"])
@pytest.mark.parametrize("kind", OF_MECHANISMS)
def test_a_mechanism_and_a_bias_are_recovered(kind: str, walk: float):
    mechanism, rng = sg.load_mechanism("four_bar_angle"), np.random.default_rng(5)
    run = sg.simulate(mechanism, time=STEPS * DT / 4.0, dt=DT / 4.0)
    sigma = SENSORS[kind].usual.get("sigma", 0.01)
    given = declare_on(mechanism, kind, bias=5.0 * sigma, walk=walk * sigma)
    (sensor,) = parse_mechanism_sensors(mechanism, [given])
    inputs = ["theta"] if {"tau", "multipliers"} & set(sensor.form.of) else []
    states: dict[str, Any] = {"q": run.q, "v": run.qd, "a": run.qdd, "tau": run.tau, "forces": {}}
    states["multipliers"] = constraint_multipliers(mechanism, run.q, run.qd, run.tau)
    exact = simulate_sensors(mechanism, states, (sensor,))
    bias = draw_bias(rng, (len(run.t), len(sensor.columns)), 5.0 * sigma, walk * sigma * (DT / 4.0) ** 0.5)
    table = {name: x + b + sigma * rng.normal(size=len(x)) for (name, x), b in zip(exact.items(), bias.T, strict=True)}
    table |= {"t": run.t, "crank": run.q[:, 4] + 1e-3 * rng.normal(size=len(run.t))}
    encoder = {"sensor": "crank", "angle": mechanism.angles[0].name, "sigma": 1e-3}
    found = sg.estimate(mechanism, table, sensors=[given, encoder], inputs=inputs)
    assert within(found.q[:, 4] - run.q[:, 4], found.q_sigma[:, 4])
    assert within(found.offsets["it"] - (bias if walk else bias[0]), found.offsets_sigma["it"])
    smoother = OnlineSmoother(mechanism, [given, encoder], DT / 4.0, window=2, inputs=inputs)
    for k in range(len(run.t)):
        smoother.update({name: table[name][k] for name in smoother.columns})
    spread = smoother.sigma()
    assert within(smoother.q - run.q[-1], spread["q"])
    assert within(smoother.offsets["it"] - bias[-1], spread["offset it"])


def test_a_legged_smoother_takes_what_gyroscopes_accelerometers_and_positions_read():
    """A body stands on three feet, tilted and still."""
    robot, rng = thrown(), np.random.default_rng(6)
    noise = LeggedNoise(contact=1e-3)
    q, rest = robot.random(rng), np.zeros(robot.nv)
    states = {"q": q, "qd": rest, "qdd": rest}
    mechanics = get_mechanics(robot)
    sensors = parse_sensors(
        mechanics, [{**declared(kind, "body", False), "sensor": kind} for kind in ("gyroscope", "accelerometer")]
    )
    turning, force = (
        np.asarray(SensorResidual(mechanics, (s.place,))(*(states[n] for n in s.form.of), measured=np.zeros(3)), float)
        for s in sensors
    )
    R = np.asarray(sg.forward_kinematics(robot, ("body",))(q), float)[0, :3, :3]
    feet = {f"foot {i}": p for i, p in enumerate(np.array([[0.3, 0.0, -0.4], [-0.2, 0.3, -0.4], [-0.2, -0.3, -0.4]]))}
    smoother = LeggedSmoother(tuple(feet), R=R, covariance=1e-4, noise=noise, gravity=tuple(robot.gravity))
    for k in range(100):
        gyro, acc = noise.gyroscope * DT**-0.5 * rng.normal(size=3), noise.accelerometer * DT**-0.5 * rng.normal(size=3)
        smoother.predict(turning + gyro, force + acc, DT)
        if k % 5 == 4:
            smoother.update({name: p + 1e-3 * rng.normal(size=3) for name, p in feet.items()})
    _, v, p = smoother.state
    spread = np.sqrt(np.diag(smoother.covariance))
    assert within(v, spread[3:6])
    assert within(p, spread[6:])


def test_unknown_kinds_are_said_with_what_there_is():
    sonar = {"sensor": "a", "sonar": "tool", "sigma": 1.0}
    with pytest.raises(sg.InputError, match=r"no kind of sensor is called 'sonar'.*height.*joint_position") as caught:
        sg.estimate(sg.load("rr"), {"t": DT * np.arange(10), "a": np.zeros(10)}, sensors=[sonar])
    assert "\n" not in str(caught.value)
    with pytest.raises(sg.InputError, match=r"no kind of sensor is called 'sonar'.*angle"):
        Sensor("a", "sonar", 0, (1.0,), bias=1.0)
    with pytest.raises(sg.ScrewgraphError, match="sonar"):
        parse_mechanism_sensors(sg.load_mechanism("four_bar"), [sonar])
    encoder = {"sensor": "a", "joint_position": "joint1", "sigma": 1.0}
    for more, line in (
        ({"walk": 1.0}, "walks from nowhere"),
        ({"at": [0.0, 0.0, 0.0]}, "has a place at"),
        ({"bias": -1.0}, "bias = -1.0"),
    ):
        with pytest.raises(sg.InputError, match=line):
            parse_sensors(get_mechanics(sg.load("rr")), [{**encoder, **more}])


def test_an_accelerometer_beside_an_origin_reads_what_one_on_a_frame_there_does():
    robot, rng = sg.load("rr"), np.random.default_rng(8)
    mechanics = get_mechanics(robot)
    states = [rng.normal(size=robot.nv) for _ in range(3)]
    link, tool = np.asarray(sg.forward_kinematics(robot, ("link2", "tool"))(states[0]), float)
    at, turned = link[:3, :3].T @ (tool[:3, 3] - link[:3, 3]), link[:3, :3].T @ tool[:3, :3]
    given = [{"sensor": "a", "accelerometer": "link2", "at": at, "sigma": 1.0}]
    given += [{"sensor": "b", "accelerometer": "tool", "sigma": 1.0}]
    beside, there = (
        np.asarray(SensorResidual(mechanics, (s.place,))(*states, measured=np.zeros(3)), float)
        for s in parse_sensors(mechanics, given)
    )
    assert np.linalg.norm(at) > 0.1
    np.testing.assert_allclose(beside, turned @ there, atol=1e-12)


def test_one_number_is_a_standard_deviation():
    assert Sensor("a", "angle", 0, 1e-3) == Sensor("a", "angle", 0, (1e-3,))  # pyright: ignore[reportArgumentType]


def test_sensors_of_mechanisms_have_delays_and_robust_losses():
    """A seventh of the readings is wrong, and all are late; the mass of a body is found all the same."""
    mechanism, rng, delay = sg.load_mechanism("four_bar_angle"), np.random.default_rng(7), 0.02
    run = sg.simulate(sg.load_mechanism("four_bar_angle", {"mass:coupler": 2.3}), time=0.6, dt=0.01)
    angle = run.q[:, 4] + 1e-4 * rng.normal(size=len(run.t))
    angle[::7] += 0.02
    encoder = {"sensor": "crank", "angle": "theta", "sigma": 1e-4, "huber": 2.0, "delay": delay}
    table = {"t:crank": run.t + delay, "crank": angle}
    found = sg.estimate(mechanism, table, ("mass:coupler",), sensors=[encoder])
    assert within(np.array(found.parameters["mass:coupler"] - 2.3), np.array(found.sigma["mass:coupler"]))
