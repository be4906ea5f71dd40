"""Parallel structure of the clique tree (Xie & Dellaert, 2019, VI-B), and a humanoid's speed-up on two cores.

Run: python examples/xie_2019_parallel.py [--quick]. The humanoid is Tello, on a floating base: its tree without rotors,
and with its rotors and differentials.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
from chignoli_2023_rotors import without_rotors
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg

FILE = Path(__file__).resolve().parent / "chignoli_2023_tello.yaml"
OF_TREES = ("crba", "composite", "aba", "min_degree", "colamd", "nested_dissection")
OF_LOOPS = ("embedding", "ancestor", "kkt")
STATES = 16_000
SECONDS = 20.0
"""How long each way of computing a batch is tried: others may use the machine, so the least time counts."""


def main() -> None:
    """Print depth, width and bounds by order, then what two cores gain."""
    parser = argparse.ArgumentParser(description="Parallel structure of a humanoid's forward dynamics.")
    parser.add_argument("--quick", action="store_true", help="two orders, and times from one second")
    quick = parser.parse_args().quick
    console = Console(width=118, highlight=False)
    tello = sg.load(FILE, base="floating")
    links = [name for name in tello.joint_names if "rotor" not in name]
    tree = without_rotors(tello.with_independent_joints(links), reflected=True)
    report(console, f"Tello without rotors, {tree.nv} velocities", tree, OF_TREES[1:3] if quick else OF_TREES)
    if not quick:
        report(console, f"Tello with rotors and differentials, {tello.nv} velocities", tello, OF_LOOPS)
    console.print(
        "A clique waits for those below it in the tree, and costs what its dense elimination does; in the code, each\n"
        "operation is a task, a division costs 10 additions, sine and cosine 12. The bounds are work over the\n"
        "most costly chain: of any number of processors between which messages take no time.\n"
    )
    speed_up(console, tree, "aba", 1.0 if quick else SECONDS)


def report(console: Console, title: str, robot: sg.Robot, orders: tuple[str, ...]) -> None:
    """Print the parallel structure of the forward dynamics of a robot in some orders."""
    graph = sg.dynamics_graph(robot).given("q", "qd", "tau")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    cliques = ("cliques", "clique\nwidth", "levels", "cliques\nat once", "speed-up\nat most")
    code = ("operations", "longest\nchain", "operations\nat once", "speed-up\nat most")
    table.add_column("order")
    for head in (*cliques, *code):
        table.add_column(head, justify="right")
    for order in orders:
        tree, function = sg.eliminate(graph, order).cliques, sg.forward_dynamics(robot, ordering=order)
        of_cliques, of_code = tree.parallelism, function.parallelism
        cells = (len(tree.cliques), tree.width, of_cliques.depth, of_cliques.width, f"{of_cliques.speed_up():.1f}")
        cells += (function.operations.total, of_code.depth, of_code.width, f"{of_code.speed_up():.1f}")
        table.add_row(order, *map(str, cells))
    console.print(table, "")


def speed_up(console: Console, robot: sg.Robot, order: str, seconds: float) -> None:
    """Print the least times of a batch on one core and in two halves on two, each in a thread of its own."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    if len(cores) < 2:
        console.print("this machine has one core: nothing to measure")
        return
    f, states = sg.forward_dynamics(robot, ordering=order), batch(robot)
    out, half = np.empty((STATES, robot.nv)), STATES // 2

    def part(of: slice) -> None:
        f(*(x[of] for x in states), out=out[of])

    first, second = (ThreadPoolExecutor(1, initializer=stay_on, initargs=(core,)) for core in cores[:2])
    least = {"one core": np.inf, "two cores, half of the batch each": np.inf}
    with first, second:
        end = time.perf_counter() + 2.0 * seconds
        while time.perf_counter() < end:
            for name, parts in zip(least, ((slice(STATES),), (slice(half), slice(half, STATES))), strict=True):
                start = time.perf_counter()
                running = [pool.submit(part, of) for pool, of in zip((first, second), parts, strict=False)]
                wait(running)
                least[name] = min(least[name], time.perf_counter() - start)
                _ = [done.result() for done in running]
    for name, found in least.items():
        console.print(f"{name:<36}{1e9 * found / STATES:7.0f} ns a state")
    one, two = least.values()
    console.print(f"speed-up {one / two:.2f}: {STATES} states, the least of all times in {seconds:.0f} s each")


def batch(robot: sg.Robot) -> tuple[np.ndarray, ...]:
    """Return random positions, velocities and torques."""
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(STATES)])
    return q, rng.standard_normal((STATES, robot.nv)), rng.standard_normal((STATES, robot.nv))


def stay_on(core: int) -> None:
    """Keep this thread on a core, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [core])


if __name__ == "__main__":
    main()
