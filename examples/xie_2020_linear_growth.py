"""The cost of planning grows linearly with the number of steps: the cart-pole's two goals, ever more steps.

Run: python examples/xie_2020_linear_growth.py [--quick]; the picture goes to out/.
"""

from __future__ import annotations

import argparse
import gc
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
from matplotlib.figure import Figure

import screwgraph as sg
from screwgraph.motion.planning import horizon, read_task
from screwgraph.ui.draw import save

OUT = Path("out")
STEPS, QUICK = (50, 100, 200, 500, 1000, 2000, 5000), (50, 200, 800)
SECONDS, TIMES = 0.3, 3
"""At least so long, and so often, each size is solved; the fastest counts."""


def measured(steps: int) -> tuple[int, float]:
    """Return iterations, and the processor's time (s) for each, of a plan of so many steps; code is made before."""
    task = read_task("cp2")
    planner = sg.Planner(replace(task, phases=horizon(steps, duration=sum(p.duration for p in task.phases))))
    best, spent, times = np.inf, 0.0, 0
    plan = planner.solve()
    while times < TIMES or spent < SECONDS:
        gc.collect()
        began = process_time()
        plan = planner.solve()
        took = process_time() - began
        best, spent, times = min(best, took), spent + took, times + 1
    if not plan.converged:
        raise SystemExit(f"{steps} steps: {plan.status}")
    return plan.iterations, best / plan.iterations


def fitted(steps: np.ndarray, seconds: np.ndarray) -> tuple[float, float, float]:
    """Return a and b of a + b N with the least relative errors, and the exponent of N that fits the larger half."""
    A = np.stack([np.ones(len(steps)), steps], axis=1) / seconds[:, None]
    a, b = np.linalg.lstsq(A, np.ones(len(steps)), rcond=None)[0]
    upper = steps >= np.median(steps)
    exponent = np.polyfit(np.log(steps[upper]), np.log(seconds[upper]), 1)[0]
    return float(a), float(b), float(exponent)


def draw(steps: np.ndarray, iterations: np.ndarray, seconds: np.ndarray, line: tuple[float, float]) -> Figure:
    """Draw the time of an iteration with its line, and the numbers of iterations."""
    figure = Figure(figsize=(7.5, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    n = np.geomspace(steps[0], steps[-1], 100)
    left.loglog(steps, 1e3 * seconds, "o", color="C0", markersize=5, label="measured")
    left.loglog(n, 1e3 * (line[0] + line[1] * n), color="C1", linewidth=1, label="a + b N")
    left.set(xlabel="steps N", ylabel="an iteration (ms)")
    left.legend(frameon=False, fontsize=8)
    right.semilogx(steps, iterations, "o-", color="C0", markersize=5, linewidth=1)
    right.set(xlabel="steps N", ylabel="iterations", ylim=(0, 1.25 * max(iterations)))
    for axes in (left, right):
        axes.grid(visible=True, linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and small sizes")
    steps = np.array(QUICK if parser.parse_args().quick else STEPS)
    found = []
    for n in steps.tolist():
        found.append(measured(n))
        print(f"N = {n:4d}: {found[-1][0]:2d} iterations, {1e3 * found[-1][1]:7.3f} ms each")
    iterations, seconds = (np.array(column) for column in zip(*found, strict=True))
    a, b, exponent = fitted(steps, seconds)
    print(f"an iteration takes {1e3 * a:.3f} ms + {1e6 * b:.2f} us N; the larger half grows like N^{exponent:.2f}")
    OUT.mkdir(exist_ok=True)
    save(draw(steps, iterations, seconds, (a, b)), OUT / "xie-2020-linear-growth.svg")


if __name__ == "__main__":
    main()
