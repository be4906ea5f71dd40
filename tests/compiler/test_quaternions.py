"""Functions of quaternions that are not unit would be wrong: they are refused, alone and in batches."""

import inspect
import pickle

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning.collision import BodySphere, Sphere
from tests.model.robot.joint_instances import in_a_tree, instances
from tests.motion.simulation.robots import free_body


@pytest.mark.parametrize("robot", [free_body(), in_a_tree(instances()["spherical-default"])], ids=["pose", "ball"])
@pytest.mark.parametrize("make", [sg.inverse_dynamics, sg.mass_matrix])
def test_quaternions_that_are_not_unit_are_refused(robot, make):
    f, rng = make(robot), np.random.default_rng(0)
    q = robot.random(rng)
    rest = [rng.normal(size=robot.nv) for _ in f.arguments[1:]]
    right = f(q, *rest)
    begin = next(i for i, name in enumerate(f.arguments[0].names) if "qx" in name or i == robot.nq - 4)
    for length in (0.0, 0.9, 1.1, 2.0):
        off = q.copy()
        off[begin : begin + 4] *= length
        for given in (off, np.stack([q, off]), off.tolist(), off[None]):
            with pytest.raises(sg.InputError, match=r"quaternion .* of 'q' has the length .*normalise\(q\)"):
                f(given, *rest)
    with pytest.raises(sg.InputError, match="has the length"):
        f(off, *rest, out=np.empty_like(right))
    near = q.copy()
    near[begin : begin + 4] *= 1.0005  # digits of a file
    np.testing.assert_allclose(f(near, *rest), right, atol=0.01 * np.abs(right).max())
    np.testing.assert_array_equal(f(np.stack([q, q]), *rest), np.stack([right, right]))
    with np.errstate(all="ignore"):
        f(np.full(robot.nq, np.nan), *rest)  # NaN goes through, as everywhere


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("columns", [False, True])
def test_one_quaternion_of_a_batch_is_found_wherever_it_stands(dtype, columns):
    robot = free_body()
    f = sg.mass_matrix(robot).astype(dtype)  # which needs no quaternion
    rng, count = np.random.default_rng(1), 77  # tiles, blocks and single samples
    q = np.array([robot.random(rng) for _ in range(count)], order="F" if columns else "C")
    f(q)
    for place in range(count):
        kept = q[place].copy()
        q[place, 3:7] *= 1.01
        with pytest.raises(sg.InputError, match=r"has the length 1\.01"):
            f(q)
        q[place] = kept
    f(q)


def test_exported_code_makes_quaternions_unit():
    robot, rng = free_body(), np.random.default_rng(2)
    f = sg.inverse_dynamics(robot)
    q, rest = robot.random(rng), [rng.normal(size=robot.nv) for _ in range(2)]
    longer = q.copy()
    longer[3:7] *= 1.7
    right = f(q, *rest)
    namespace: dict = {}
    exec(f.code("numpy")[f"{f.name}.py"], namespace)
    tight = {"rtol": 1e-12, "atol": 1e-12 * np.abs(right).max()}
    np.testing.assert_allclose(namespace[f.name](longer, *rest), right, **tight)
    assert "qx qy qz qw of any length" in f.c_source()
    pytest.importorskip("casadi")
    np.testing.assert_allclose(np.ravel(f.casadi(longer, *rest)), right, **tight)


FURTHER = {
    "forward_dynamics": {"ordering": "articulated"},
    "frame_acceleration": {"frame": "body"},
    "frame_jacobian": {"frame": "body"},
    "frame_velocity": {"frame": "body"},
    "hybrid_dynamics": {"accelerations": ["free"]},
    "minimal_distance": {"shapes": [BodySphere("body", radius=0.1)], "obstacles": [Sphere((5.0, 0.0, 0.0), 0.1)]},
}
"""What functions need beside a robot, or are made faster by."""


WITHOUT = ("controller", "mpc")
"""The body has no motors, and predictive controllers are of bases that stand."""


def functions_of_robots():
    """Yield the names of all public functions that make a function of numbers from a robot."""
    for name in sg.__all__:
        made = getattr(sg, name)
        if inspect.isfunction(made):
            signature = inspect.signature(made)
            takes_robot = next(iter(signature.parameters), "") == "robot"
            if takes_robot and name not in WITHOUT and signature.return_annotation == "Function":
                yield name


def test_no_function_of_a_position_takes_a_quaternion_that_is_not_unit():
    robot, rng, tried = free_body(), np.random.default_rng(3), 0
    for name in functions_of_robots():
        f = getattr(sg, name)(robot, **FURTHER.get(name, {}))
        values = [robot.random(rng) if a.spaces and len(a.names) == robot.nq else np.ones(a.shape) for a in f.arguments]
        assert np.isfinite(np.concatenate([np.ravel(r) for r in np.atleast_1d(f.few(*values))])).all(), name
        for i, argument in enumerate(f.arguments):
            if len(argument.names) != robot.nq:
                continue
            off = [value.copy() for value in values]
            off[i][3:7] *= 1.1
            for call in (f, f.few):
                with pytest.raises(sg.InputError, match=rf"quaternion .* of '{argument.name}' has the length 1\.1"):
                    call(*off)
            tried += 1
    assert tried >= 23  # the walk has found them


def test_what_is_made_of_a_function_refuses_them_too():
    robot, rng = free_body(), np.random.default_rng(4)
    f = sg.inverse_dynamics(robot, parameters=["body.mass"])
    q, rest = robot.random(rng), rng.normal(size=(2, robot.nv))
    q[3:7] *= 0.9
    bound, blocks = f.with_parameters({"body.mass": 2.0}), f.blocked()
    for call in (f.jacobian("q"), f.astype("float32"), f.packed(), pickle.loads(pickle.dumps(f))):
        with pytest.raises(sg.InputError, match=r"has the length 0\.9"):
            call(q, *rest, [2.0])
    with pytest.raises(sg.InputError, match=r"has the length 0\.9"):
        bound(q, *rest)
    with pytest.raises(sg.InputError, match=r"has the length 0\.9"):
        blocks(*(blocks.blocks(np.array([value])) for value in (q, *rest, [2.0])))


def test_what_walks_a_motion_or_searches_refuses_them_too():
    robot = free_body()
    q = robot.random(np.random.default_rng(5))
    q[3:7] *= 1.1
    simulator = sg.Simulator(robot)
    for begin in (
        lambda: sg.simulate(robot, q, time=0.01),
        lambda: sg.rollout(robot, q, time=0.01),
        lambda: sg.Simulator(robot, q0=q),
        lambda: simulator.reset(q),
        lambda: sg.inverse_kinematics(robot, "body")(np.eye(4), start=q),
    ):
        with pytest.raises(sg.InputError, match=r"quaternion|length 1"):
            begin()
