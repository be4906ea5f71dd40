"""Inverse and forward dynamics from Python, beside Pinocchio's Python module in the same run.

Run `make bench`. Prints operations of the code and their ratio to Pinocchio's own algorithms (RNEA, ABA on CasADi
scalars, common subexpressions removed, sin and cos counted), the relative error between the two, nanoseconds a call,
and nanoseconds a sample in batches of 4096 in both memory layouts, all on one thread.
"""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import screwgraph as sg

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "robots" / "benchmark"
BATCH = 4096


@dataclass(frozen=True)
class Subject:
    """A robot: a file, or a built-in one where that is absent; `peer` are the peer's operations for both problems."""

    file: str
    zoo: str | None
    base: str
    peer: tuple[int, int]


SUBJECTS = (
    Subject("puma560", "puma560", "fixed", (586, 1226)),
    Subject("ur5", None, "fixed", (566, 1279)),
    Subject("panda7", "panda", "fixed", (1019, 1943)),
    Subject("a1", "a1", "floating", (2272, 4962)),
    Subject("simple_humanoid", None, "floating", (3414, 9611)),
    Subject("talos_reduced", None, "floating", (6082, 13405)),
)


def main() -> None:
    """Measure every subject that is here, and print one table."""
    columns = (
        "operations",
        "to peer",
        "compile",
        "call",
        "pin call",
        "faster",
        "sample, rows",
        "sample, columns",
        "error",
    )
    title = f"{processor()}, {np.__name__} {np.__version__}, pin {pin.__version__}"
    table = Table("robot", "problem", *columns, title=title, title_justify="left")
    for subject in SUBJECTS:
        path = FOLDER / f"{subject.file}.urdf"
        if path.exists():
            measure(table, sg.load(path, base=subject.base, snap=1e-7), subject)
        elif subject.zoo:
            measure(table, sg.load(subject.zoo, base=subject.base), subject)
    Console(width=150).print(table)


def measure(table: Table, robot: sg.Robot, subject: Subject) -> None:
    """Add the two rows of a robot."""
    model = peer_model(robot)
    data = model.createData()
    rng = np.random.default_rng(0)
    state = [robot.random(rng), *rng.standard_normal((2, robot.nv))]
    peers = (pin.rnea, pin.aba)
    for make, peer, count in zip((sg.inverse_dynamics, sg.forward_dynamics), peers, subject.peer, strict=True):
        f = make(robot)
        start = time.perf_counter()
        answer = f(*state)
        compile_time = time.perf_counter() - start
        places_of = [places(robot, model, "q"), places(robot, model, "v")]
        swapped = [state[0][places_of[0]], *(x[places_of[1]] for x in state[1:])]
        expected = np.empty(robot.nv)
        expected[places_of[1]] = peer(model, data, *swapped)
        ours = nanoseconds(lambda f=f: f(*state), 3000)
        theirs = nanoseconds(lambda peer=peer, swapped=swapped: peer(model, data, *swapped), 3000)
        table.add_row(
            f"{subject.file} ({robot.nv})",
            "inverse" if peer is pin.rnea else "forward",
            str(f.operations.total),
            f"{f.operations.total / count:.2f}",
            f"{compile_time:.2f} s",
            f"{ours:.0f} ns",
            f"{theirs:.0f} ns",
            f"{theirs / ours:.1f} x",
            f"{batch(f, state, 'C'):.1f} ns",
            f"{batch(f, state, 'F'):.1f} ns",
            f"{np.abs(answer - expected).max() / np.abs(expected).max():.0e}",
        )


def peer_model(robot: sg.Robot) -> pin.Model:
    """Give Pinocchio the same robot through a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "robot.urdf")
        sg.save(robot, path)
        return pin.buildModelFromUrdf(path)


def places(robot: sg.Robot, model: pin.Model, kind: str) -> np.ndarray:
    """Return where each of the peer's coordinates stands in ours: it sorts joints, and puts linear velocities first."""
    order = []
    for name in list(model.names)[1:]:
        ours = (robot.q_slices if kind == "q" else robot.v_slices)[name]
        own = list(range(ours.start, ours.stop))
        order += own[3:] + own[:3] if kind == "v" and len(own) == 6 else own
    return np.array(order)


def batch(f: sg.Function, state: list[np.ndarray], layout: str) -> float:
    """Return nanoseconds a sample."""
    arrays = [np.array(np.broadcast_to(x, (BATCH, len(x))), order=layout) for x in state]
    out = np.empty((BATCH, *f.result_shape), order=layout)
    return nanoseconds(lambda: f(*arrays, out=out), 5) / BATCH


def nanoseconds(call: Callable[[], object], repeats: int, rounds: int = 7) -> float:
    """Return the time of a call, the best of several rounds."""
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        best = min(best, (time.perf_counter() - start) / repeats)
    return best * 1e9


def processor() -> str:
    """Name the processor as LLVM does."""
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
