"""Model-predictive control of a robot: every tick is one call of one function, of a known number of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
    make_numbered_argument,
    robot_arguments,
)
from screwgraph.graph import Key
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.motion.control.predictive.horizon import SOLUTION, Horizon
from screwgraph.motion.control.predictive.limits import HorizonLimits, Values, expand_values
from screwgraph.motion.control.predictive.stage_model import StageModel

FEWEST, LONGEST = 2, 1000
"""Stages of a horizon."""


@check_arguments
def mpc(
    robot: Robot,
    dt: float = 0.01,
    horizon: int = 32,
    *,
    actuated: Sequence[str] | None = None,
    limits: HorizonLimits | None = None,
    iterations: int = 1,
    barrier_steps: int = 2,
    dtype: str = "float64",
) -> Function:
    """Return a model-predictive controller: from a state, references and its last solution to efforts and a new one.

    It follows references over a horizon with efforts u_k that are held for `dt` (s):
    v_{k+1} = v_k + dt qdd(q_k, v_k, u_k), q_{k+1} = q_k + dt v_{k+1}. It minimises dt times the sum of weighted squares
    of x_k - x*_k, x = (q, qd), k = 0..N, and of u_k - u*_k, k = 0..N-1, plus penalties of states beyond their limits;
    efforts are within theirs. A call linearises the dynamics along the last solution, takes `barrier_steps` steps of a
    primal-dual interior point on the quadratic program that is left, whose barrier adapts, and keeps slacks and
    multipliers for the next call: the real-time iteration of Diehl et al. (2005) with the interior point of Rao, Wright
    and Rawlings (1998). `converge` calls it until nothing changes.

    The function is (q, qd, references, weights, advance, previous) -> (tau, states, efforts, gain, next, solution).
    Arguments, after q (nq,) and qd (nv,): `references` (N + 1, nq + nv + m), x* and u* from now on
    (`stack_references`); `weights` (nq + nv + m,), see `stack_weights`; `advance`, the part of `dt` that has gone by
    since the last call, by which the last solution is moved (its barrier is then 1e-4 at least, so that limits are left
    in few steps); `previous`, the `next` of the last call, first zeros: the horizon then starts with a robot at rest.
    Results: `tau` (m,) (N m, N), the efforts of actuated joints now; `states` (N + 1, nq + nv) and `efforts` (N, m)
    expected; `gain` (m, nq + nv): tau changes by so much with the state, between calls; `solution`: status (0, or 3:
    arguments without sense, no efforts), cost, largest violation of states' limits (rad, m, 1/s), defect of the last
    solution's dynamics, largest change of the trajectory, barrier.

    Args:
        robot: a tree that stands, of joints with one position each velocity.
        dt: time (s) from one instant of the horizon to the next.
        horizon: how many there are (N).
        actuated: joints with efforts; by default all.
        limits: efforts, positions and velocities that are kept; by default those of the robot's file.
        iterations: linearisations a call.
        barrier_steps: steps of the interior point after each.
        dtype: "float64", or "float32".

    Raises:
        InputError: the robot has loops, couplings or a floating base, a joint is unknown, or a number has no sense.
    """
    _check_robot(robot)
    _check_numbers(dt, horizon, iterations, barrier_steps)
    driven, kept = find_driven(robot, actuated), limits or HorizonLimits()
    model = StageModel(robot, driven, dt)
    lower, upper = kept.states(robot)
    own = Horizon(model, horizon, kept.efforts(robot, driven), lower, upper, kept.penalty, iterations, barrier_steps)
    arguments = _list_arguments(own)

    def make(_: Any) -> CachedCode:
        return CachedCode(own.tick.routine([name for argument in arguments for name in argument.names]), "none")

    return make_function(
        "mpc",
        ("mpc", own.question),
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a model-predictive controller"),
        _list_results(own),
        quietly=True,
    ).astype(dtype)


def _list_arguments(own: Horizon) -> tuple[Argument, ...]:
    robot, nx = own.model.robot, own.model.nx
    names = [("q", [Key("q", j) for j in robot.joint_names]), ("qd", [Key("qd", j) for j in robot.joint_names])]
    shapes = {
        "references": (own.stages + 1, nx + own.model.nu),
        "weights": (nx + own.model.nu,),
        "advance": (),
        "previous": (own.tick.previous,),
    }
    return (*robot_arguments(robot, names), *(make_numbered_argument(name, *s) for name, s in shapes.items()))


def _list_results(own: Horizon) -> tuple[Result, ...]:
    nx, nu, N = own.model.nx, own.model.nu, own.stages
    shapes = {"tau": (nu,), "states": (N + 1, nx), "efforts": (N, nu), "gain": (nu, nx), "next": (own.tick.previous,)}
    return (*(Result(name, shape) for name, shape in shapes.items()), Result("solution", (len(SOLUTION),), SOLUTION))


def _check_robot(robot: Robot) -> None:
    if robot.is_closed:
        raise InputError(
            f"mpc of {robot.name!r}, which has loops or couplings",
            why="its stages are those of trees",
            fix="sg.load(file, lock=...) welds joints, as of grippers",
        )
    if not robot.joints:
        raise InputError(f"mpc of {robot.name!r}", why="it has no joints")
    for joint in robot.joints:
        if joint.type.nq != joint.type.nv:
            raise InputError(
                f"joint {joint.name!r} has {joint.type.nq} positions and {joint.type.nv} velocities",
                why="states of the horizon are vectors: a base that floats and ball joints have none",
            )


def _check_numbers(dt: float, horizon: int, iterations: int, barrier_steps: int) -> None:
    if not 0.0 < dt < np.inf:
        raise InputError(f"dt is {dt!r}", why="it must be finite and positive", fix="dt=0.01, in seconds")
    if not FEWEST <= horizon <= LONGEST:
        raise InputError(f"a horizon of {horizon} instants", fix=f"there are from {FEWEST} to {LONGEST}")
    for name, value in (("iterations", iterations), ("barrier_steps", barrier_steps)):
        if not 1 <= value <= LONGEST:
            raise InputError(f"{name} is {value}", fix=f"it is from 1 to {LONGEST}")


def find_driven(robot: Robot, actuated: Sequence[str] | None) -> tuple[int, ...]:
    """Return the velocity coordinates of joints with efforts, in the robot's order. Raises InputError."""
    names = robot.joint_names if actuated is None else tuple(actuated)
    for name in names:
        if name not in robot.joint_names:
            raise make_unknown_name_error("joint", name, robot.joint_names)
    if not names:
        raise InputError("actuated names no joint", why="a robot without efforts has nothing to command")
    slices = [robot.v_slices[name] for name in robot.joint_names if name in names]
    return tuple(i for own in slices for i in range(own.start, own.stop))


@check_arguments
def stack_weights(
    robot: Robot,
    *,
    position: Values = 1.0,
    velocity: Values = 0.1,
    effort: Values = 1e-3,
    actuated: Sequence[str] | None = None,
) -> Float[np.ndarray, " nq+nv+m"]:
    """Return the weights of squares as `mpc` takes them: of positions, velocities, efforts of actuated joints.

    Each is one number for all, one each, or some by the names of joints, others zero.

    Raises:
        InputError: a joint is unknown, a weight is negative, or an effort has none.
    """
    none = np.zeros(robot.nv)
    found = {
        name: expand_values(robot, values, none, name)
        for name, values in (("position", position), ("velocity", velocity), ("effort", effort))
    }
    found["effort"] = found["effort"][list(find_driven(robot, actuated))]
    for name, values in found.items():
        if not (np.all(values >= 0.0) and np.isfinite(values).all()):
            raise InputError(f"weights of {name}: {values}", why="they must be finite, from 0 on")
    if not np.all(found["effort"] > 0.0):
        raise InputError("an effort has the weight 0", why="what costs nothing is not determined", fix="effort=1e-6")
    return np.concatenate(list(found.values()))


@check_arguments
def stack_references(
    control: Function, position: Any, velocity: Any = 0.0, effort: Any = 0.0
) -> Float[np.ndarray, "N+1 nq+nv+m"]:
    """Return references as a controller of `mpc` takes them: one for all instants of the horizon, or one for each.

    Efforts that hold the robot at the reference, `bias_forces(robot)(position, 0)`, let it stand there exactly.

    Raises:
        InputError: shapes do not fit.
    """
    (count, nz), n = _find_argument(control, "references").shape, len(control.arguments[1].names)
    found, sizes = np.zeros((count, nz)), {"position": n, "velocity": n, "effort": nz - 2 * n}
    start = 0
    for (name, size), values in zip(sizes.items(), (position, velocity, effort), strict=True):
        try:
            found[:, start : start + size] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise InputError(
                f"{name} of the shape {np.shape(values)}", fix=f"give ({size},), or ({count}, {size})"
            ) from None
        start += size
    return found


def _find_argument(control: Function, name: str) -> Argument:
    found = [argument for argument in control.arguments if argument.name == name]
    if not found or "advance" not in [argument.name for argument in control.arguments]:
        raise InputError(f"{control.name} is not a controller of sg.mpc", fix="control = sg.mpc(robot, ...)")
    return found[0]


class PredictedMotion(NamedTuple):
    """Results of a call of a controller, after the last one of them."""

    __repr__ = one_line

    tau: Float[np.ndarray, " m"]
    states: Float[np.ndarray, "N+1 nq+nv"]
    efforts: Float[np.ndarray, "N m"]
    gain: Float[np.ndarray, "m nq+nv"]
    next: Float[np.ndarray, " k"]
    solution: Float[np.ndarray, "6"]


@check_arguments
def converge(
    control: Function,
    q: Any,
    qd: Any,
    references: Any,
    weights: Any,
    *,
    previous: Any = None,
    tolerance: float = 1e-8,
    most: int = 200,
) -> PredictedMotion:
    """Call a controller of `mpc` at one state until its trajectory is the optimum; return the last results.

    Args:
        control: what `mpc` returned.
        q: position.
        qd: velocity.
        references: as the controller takes them.
        weights: as the controller takes them.
        previous: a solution to begin with; by default none.
        tolerance: of changes, of defects and of the barrier, in units of states, inputs by their limits.
        most: calls at most; `solution` then says how far it came.

    Raises:
        InputError: an argument does not fit.
    """
    solution = np.zeros(_find_argument(control, "previous").shape) if previous is None else previous
    found = PredictedMotion(*control(q, qd, references, weights, 0.0, solution))
    for _ in range(most - 1):
        status, _, _, defect, change, barrier = found.solution
        if status > 2.5 or (status < 0.5 and max(defect, change, barrier) < tolerance):
            break
        found = PredictedMotion(*control(q, qd, references, weights, 0.0, found.next))
    return found
