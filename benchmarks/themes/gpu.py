"""Kernels on an NVIDIA GPU: time of a sample beside one core's and frax's, and the largest difference from the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.peers.jax_libraries import LIBRARIES
from benchmarks.peers.jax_libraries import Case as JaxCase
from benchmarks.tables import NOTHING, Remarks, Sheet
from screwgraph.base.errors import InputError
from screwgraph.compiler import wait_for_optimised
from screwgraph.compiler.backends.cuda.driver import current_gpu
from screwgraph.motion.control import PostureTask, stack_gains
from screwgraph.motion.control.predictive import HorizonLimits, stack_references, stack_weights
from screwgraph.ui.bench import NotMeasuredError, States, random_states

FEW, MANY = 4096, 2**20
SECONDS = 0.2
"""For a figure."""
ANSWERS = 16
"""Of a peer's, which are compared before it is timed."""
COLUMNS = (
    "robot",
    "function",
    "numbers",
    "operations",
    f"a sample of {FEW}, ns",
    f"a sample of {MANY}, ns",
    "10^6 samples a second",
    "one core, ns a sample",
    "core over GPU",
    "frax, ns a sample",
    "frax over ours",
    "first call, s",
    "largest difference",
)
NOTES = (
    f"Arrays stay on the GPU; wall time of calls that follow one another, waited for once, the best of five. One core: "
    f"batches of {FEW} by `f` on this machine's processor, CPU time, in the same type of numbers. First call: the "
    "driver compiles the kernel. Largest difference from the core's results in double precision, relative to the "
    "largest number; passages and residuals of loops are left out. frax: forward dynamics under "
    "`jax.jit(jax.vmap(...))` on the same GPU, in double precision.",
)


@dataclass(frozen=True, eq=False)
class Case:
    """A function and its arguments at `MANY` samples, or at one that all share; how frax answers, if it does."""

    name: str
    function: sg.Function
    arguments: tuple[np.ndarray, ...]
    frax: JaxCase | None = None


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time kernels; the subjects play no part."""
    rows, remarks = list[list[str]](), Remarks()
    try:
        current_gpu()
    except InputError as error:
        row = [remarks.cell("the GPU", "all", str(error)), *[NOTHING] * (len(COLUMNS) - 1)]
        return Sheet("Kernels on a GPU", COLUMNS, [row], (*NOTES, *remarks.notes()))
    for case in cases():
        for dtype in ("float64", "float32"):
            tools.say(f"GPU: {case.name}, {case.function.name}, {dtype}")
            rows.append(_row(case, dtype, remarks))
    return Sheet("Kernels on a GPU", COLUMNS, rows, (*NOTES, *remarks.notes()), named=3)


def cases(count: int = MANY) -> Iterator[Case]:
    """Yield dynamics, their derivatives, controllers, and steps with and without contacts of a quadruped."""
    arm, legs = sg.load("panda"), sg.load("a1", base="floating")
    for robot in (arm, legs):
        states = _repeat(random_states(robot, min(count, FEW)), count)
        if robot.nq > robot.nv:
            states.given[:, :6] = 0.0
        forward = sg.forward_dynamics(robot)
        yield Case(robot.name, forward, tuple(states.arguments(forward)), JaxCase(robot, Path(), states))
        slope = (sg.forward_dynamics if robot is arm else sg.inverse_dynamics)(robot).jacobian("q")
        yield Case(robot.name, slope, tuple(states.arguments(slope)))
    rng = np.random.default_rng(5)
    yield _tick(arm, count, rng)
    yield _predict(sg.load("cart_pole"), count, rng)
    yield from _steps(legs, count, rng)


def _repeat(states: States, count: int) -> States:
    return States(*(np.resize(x, (count, x.shape[1])) for x in (states.q, states.qd, states.given)))


def _tick(arm: sg.Robot, count: int, rng: np.random.Generator) -> Case:
    tasks = (PostureTask(),)
    f = sg.controller(arm, tasks)
    q = np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8]) + 0.2 * rng.standard_normal((count, 7))
    qd, goal = 0.5 * rng.standard_normal((count, 7)), q + 0.3 * rng.standard_normal((count, 7))
    rows = dict(zip((a.name for a in f.arguments), (a.shape for a in f.arguments), strict=True))
    return Case(arm.name, f, (q, qd, goal, np.zeros((2, 7)), stack_gains(tasks), np.zeros(rows["active"])))


def _predict(cart: sg.Robot, count: int, rng: np.random.Generator) -> Case:
    """Return first ticks of a predictive controller of 50 instants, from anywhere near upright."""
    f = sg.mpc(cart, 0.02, 50, actuated=cart.joint_names[:1], limits=HorizonLimits(effort=20.0))
    q, qd = np.array([0.0, np.pi]) + 0.3 * rng.standard_normal((count, 2)), 0.3 * rng.standard_normal((count, 2))
    goal, weights = stack_references(f, [0.0, np.pi]), stack_weights(cart, actuated=cart.joint_names[:1])
    return Case(cart.name, f, (q, qd, goal, weights, np.zeros(()), np.zeros(f.arguments[-1].shape)))


def _steps(legs: sg.Robot, count: int, rng: np.random.Generator) -> Iterator[Case]:
    """Yield steps from crouching with feet near the ground."""
    q = np.tile(sg.neutral(legs), (count, 1))
    q[:, 2] = rng.uniform(0.22, 0.3, count)
    q[:, 7:] = np.tile([0.0, 0.9, -1.8], 4) + 0.1 * rng.standard_normal((count, 12))
    qd = 0.3 * rng.standard_normal((count, legs.nv))
    tau = np.concatenate([np.zeros((count, 6)), 5.0 * rng.standard_normal((count, 12))], axis=1)
    feet = [sg.Contact(f"{leg}_foot", 0.02, friction=0.6) for leg in ("FR", "FL", "RR", "RL")]
    yield Case(legs.name, sg.Simulator(legs, 1e-3).function, (q, qd, tau, np.array([1e-3])))
    touching = sg.Simulator(legs, 1e-3, q[0], contacts=feet).function
    laws = np.tile([0.6, 0.0, 1e-6, 1e3], 4)
    yield Case(legs.name, touching, (q, qd, tau, np.array([1e-3]), laws, np.zeros((4, 3))))


def _row(case: Case, dtype: str, remarks: Remarks) -> list[str]:
    f = case.function.astype(dtype)
    kernel = f.cuda()
    few = [x if x.shape == a.shape else x[:FEW] for x, a in zip(case.arguments, f.arguments, strict=True)]
    began = perf_counter()
    found = _tuple(kernel(*few))
    first = perf_counter() - began
    expected = _tuple(case.function(*few))
    names = [result.name for result in f.results]
    error = max(
        float(np.abs(x - y).max() / np.abs(y).max())
        for name, x, y in zip(names, found, expected, strict=True)
        if name != "solution" and y.any()
    )
    times = {count: _on_gpu(kernel, case, count) for count in (FEW, MANY)}
    core = _on_core(f, [x.astype(dtype) for x in few])
    theirs = _frax(case, expected[0], remarks) if dtype == "float64" else None
    best = times[MANY]
    return [
        *(case.name, case.function.name, dtype, str(f.operations.total)),
        *(f"{times[FEW]:.3g}", f"{best:.3g}", f"{1e3 / best:.3g}", f"{core:.0f}", f"{core / best:.0f}"),
        *((NOTHING, NOTHING) if theirs is None else (f"{theirs:.3g}", f"{theirs / best:.1f}")),
        *(f"{first:.2f}", f"{error:.0e}"),
    ]


def _tuple(found: Any) -> tuple[np.ndarray, ...]:
    return found if isinstance(found, tuple) else (found,)


def _on_gpu(kernel: Any, case: Case, count: int) -> float:
    """Return the nanoseconds of a sample."""
    pairs = zip(case.arguments, kernel.arguments, strict=True)
    given = [kernel.array(x if x.shape == a.shape else x[:count], a.name) for x, a in pairs]
    out = kernel.empty(count)
    return 1e9 * _least(lambda: kernel(*given, out=out), lambda: current_gpu().wait(0)) / count


def _least(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Return the seconds of a call."""
    call()
    wait()
    began = perf_counter()
    call()
    wait()
    calls = max(1, int(SECONDS / (5 * (perf_counter() - began))))
    best = np.inf
    for _ in range(5):
        began = perf_counter()
        for _ in range(calls):
            call()
        wait()
        best = min(best, (perf_counter() - began) / calls)
    return float(best)


def _on_core(f: sg.Function, values: Sequence[np.ndarray]) -> float:
    """Return the nanoseconds of a sample on one core."""
    for _ in range(4):  # more states than a draft answers
        f(*values)
    wait_for_optimised()
    best = np.inf
    for _ in range(10):
        began = process_time()
        f(*values)
        best = min(best, process_time() - began)
    return 1e9 * float(best) / FEW


def _frax(case: Case, expected: np.ndarray, remarks: Remarks) -> float | None:
    """Return the nanoseconds of a sample of frax' forward dynamics on the GPU."""
    if case.frax is None:
        return None
    try:
        return _time_frax(case.frax, expected)
    except (NotMeasuredError, ImportError, RuntimeError) as error:
        remarks.cell("frax", case.name, str(error))
        return None


def _time_frax(case: JaxCase, expected: np.ndarray) -> float:
    import jax

    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        raise NotMeasuredError("JAX finds no GPU")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        sg.save(sg.load(case.robot.name), path)
        way = LIBRARIES["frax"](replace(case, path=path), "forward")
        batch = jax.jit(jax.vmap(way.function))
        given = [jax.numpy.asarray(x) for x in way.arguments]
        answers = way.read(np.asarray(batch(*given))[:ANSWERS])
        if np.abs(answers - expected[:ANSWERS]).max() > 0.01 * np.abs(expected[:ANSWERS]).max():
            raise NotMeasuredError("its answers are others")
        last: list[Any] = [None]

        def call() -> None:
            last[0] = batch(*given)

        return 1e9 * _least(call, lambda: jax.block_until_ready(last[0])) / MANY
