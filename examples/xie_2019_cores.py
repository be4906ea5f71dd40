"""Cliques of disjoint subtrees as tasks on two cores (Xie & Dellaert, 2019, VI-B): what hand-overs leave of the bound.

Run: python examples/xie_2019_cores.py [--quick]. It needs a C compiler, `cc`, and two cores. Each core has a thread of
its own, that waits for the other by reading a number over and over. Inwards each computes what depends on its subtrees
alone; the first then has what both share, and outwards each has what its subtrees alone need.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from chignoli_2023_robots import chain
from chignoli_2023_rotors import without_rotors
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.compiler.backends.c.operations import C
from screwgraph.model.robot import Joint, Link, closed_states, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, transform

TELLO = Path(__file__).resolve().parent / "chignoli_2023_tello.yaml"
SIDES = FIRST, SECOND = 1, 2
SHARED = 4
UNEVEN = 0.6
"""Part of all joints above which a subtree is taken apart."""
LONG = 20_000
"""Operations from which on compilers take minutes: these are counted alone."""
DRIVER = r"""
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define BURST 5
typedef struct { _Alignas(64) atomic_long value; } flag;
static flag go, inward, base, done;
static _Alignas(64) double x[INPUTS + 8], y[2][OUTPUTS + 8], w[2][SHARED + 8];
static void signal_to(flag *f, long round) { atomic_store_explicit(&f->value, round, memory_order_release); }
static void wait_for(flag *f, long round) { while (atomic_load_explicit(&f->value, memory_order_acquire) != round) {} }
CODE
static void empty(long round) { signal_to(&go, round); wait_for(&done, round); }
static void stay_on(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}
static atomic_int idle;
static void *serve(void *core) {
    stay_on((int)(long)core);
    for (long round = 1;; round++) {
        long next;
        while ((next = atomic_load_explicit(&go.value, memory_order_acquire)) < round && next >= 0) {}
        if (next < 0) return 0;
        if (atomic_load_explicit(&idle, memory_order_relaxed)) signal_to(&done, round);
        else second(round);
    }
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}
int main(int argc, char **argv) {
    pthread_t other;
    for (int i = 0; i < INPUTS; i++) x[i] = atof(argv[4 + i]);
    stay_on(atoi(argv[2]));
    pthread_create(&other, 0, serve, (void *)(long)atoi(argv[3]));
    double least[3] = {1e30, 1e30, 1e30}, end = now() + 1e9 * atof(argv[1]);
    long round = 0;
    do {
        double start = now();
        for (int i = 0; i < BURST; i++) alone(y[0]);
        double first = now();
        for (int i = 0; i < BURST; i++) first_core(++round, y[1]);
        double middle = now();
        atomic_store(&idle, 1);
        double before = now();
        for (int i = 0; i < BURST; i++) empty(++round);
        double last = now();
        atomic_store(&idle, 0);
        double took[3] = {first - start, middle - first, last - before};
        for (int k = 0; k < 3; k++) if (took[k] < least[k]) least[k] = took[k];
    } while (now() < end);
    for (int k = 0; k < 3; k++) printf("%.1f ", least[k] / BURST);
    for (int s = 0; s < 2; s++) for (int i = 0; i < OUTPUTS; i++) printf("%.17g ", y[s][i]);
    atomic_store(&go.value, -1);
    pthread_join(other, 0);
    return 0;
}
"""


@dataclass(frozen=True)
class Times:
    """Least times (ns) of one call by one core and by two, and of a start and an end without work between."""

    alone: float
    together: float
    empty: float
    error: float


def main() -> None:
    """Print, for some robots, the bound of two cores, and what one call takes on one core and on two."""
    parser = argparse.ArgumentParser(description="Cliques of disjoint subtrees as tasks on two cores.")
    parser.add_argument("--quick", action="store_true", help="two small robots, and times from a tenth of a second")
    quick = parser.parse_args().quick
    console = Console(width=118, highlight=False)
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) < 2 or not shutil.which("cc"):
        console.print("this needs two cores and a C compiler, cc: nothing to measure")
        return
    table = Table(title="One call of forward dynamics on two cores", box=box.SIMPLE_HEAD, title_justify="left")
    heads = ("robot", "order", "opera-\ntions", "cliques'\nbound", "of busier\ncore", "bound", "one core\n(ns)")
    for head in (*heads, "two cores\n(ns)", "speed-up"):
        table.add_column(head, justify="left" if head in heads[:2] else "right", no_wrap=head in heads[:2])
    times = list[Times]()
    for name, robot, order in list(robots())[: 2 if quick else None]:
        split = Split.of(robot, sg.forward_dynamics(robot, ordering=order))
        graph = sg.dynamics_graph(robot).given("q", "qd", "tau")
        total, longest = split.f.operations.total, split.longest
        cells = [str(total), f"{sg.eliminate(graph, order).cliques.parallelism.speed_up(2):.2f}", str(longest)]
        cells.append(f"{total / longest:.2f}")
        if total < LONG:
            times.append(took := run(split, robot, 0.1 if quick else 10.0, cores))
            cells += [f"{took.alone:.0f}", f"{took.together:.0f}", f"{took.alone / took.together:.2f}"]
        table.add_row(name, order, *cells)
    console.print(table, "")
    console.print(
        f"A start and an end without work between take {min(took.empty for took in times):.0f} ns; a call has two more "
        "hand-overs. Bounds are without them:\n"
        "of cliques that wait for those below, and of operations on two cores. Both ways agree with the function to "
        f"{max(took.error for took in times):.0e}.\n\n"
        "Of a batch, each core rather takes half of the states: one hand-over for all of them, and vectors of states\n"
        "(xie_2019_parallel.py). So cliques are no tasks in the library's code: they pay for single calls alone, "
        "while\na second core does nothing but wait for the next one."
    )


def robots() -> Iterator[tuple[str, sg.Robot, str]]:
    """Yield names, robots and orders."""
    yield "two branches of 1 four-bar", chain("four_bar", 1, 2), "embedding"
    yield "tree of 14 joints", branching(14), "aba"
    yield "two branches of 4 four-bars", chain("four_bar", 4, 2), "embedding"
    tello = sg.load(TELLO, base="floating")
    links = [name for name in tello.joint_names if "rotor" not in name]
    yield "Tello without rotors", without_rotors(tello.with_independent_joints(links), reflected=True), "aba"
    yield "Tello", tello, "embedding"
    yield "tree of 30 joints", branching(30), "aba"
    yield "tree of 100 joints", branching(100), "aba"


def branching(joints: int) -> sg.Robot:
    """Return a tree of joints whose links carry two others each."""
    rng, at = np.random.default_rng(0), transform(np.eye(3), np.array([0.3, 0.1, 0.2]))
    body = SpatialInertia.of_body(1.0, np.array([0.1, 0.05, -0.1]), np.diag([0.01, 0.02, 0.015]))
    links = [Link("0"), *(Link(str(i), body) for i in range(1, joints + 1))]
    axes = rng.standard_normal((joints, 3))
    made = [
        Joint(f"j{i}", Revolute(tuple(axis / np.linalg.norm(axis))), str(i // 2), str(i), at)
        for i, axis in enumerate(axes, start=1)
    ]
    return tree(f"tree_{joints}", links, made)


@dataclass(frozen=True)
class Split:
    """A function's operations on two cores: `core` and `phase` of each, -1 for leaves and what either may compute.

    Phases are 0 inwards, 1 what both sides share, on the first core, and 2 outwards.
    """

    f: sg.Function
    core: Sequence[int]
    phase: Sequence[int]

    @classmethod
    def of(cls, robot: sg.Robot, f: sg.Function) -> Split:
        """Divide by what an operation depends on, and by which outputs need it."""
        program, side = f.program, sides(robot)
        depends, needed = [0] * len(program.instructions), [0] * len(program.instructions)
        for i, (operation, *operands) in enumerate(program.instructions):
            if operation == "input":
                name = program.input_names[operands[0]].partition(":")[2].partition("[")[0]
                depends[i] = side.get(name, SHARED)
            elif operation != "constant":
                depends[i] = int(np.bitwise_or.reduce([depends[o] for o in operands if isinstance(o, int)]))
        of_output = [side.get(joint.name, SHARED) for joint in robot.joints for _ in range(joint.type.nv)]
        for output, of in zip(program.outputs, of_output, strict=True):
            if isinstance(output, int):
                needed[output] |= of
        for i in reversed(range(len(program.instructions))):
            operation, *operands = program.instructions[i]
            for o in operands if operation not in ("input", "constant") else ():
                if isinstance(o, int):
                    needed[o] |= needed[i]
        core, phase = list[int](), list[int]()
        for i, (operation, *_) in enumerate(program.instructions):
            own, alone = depends[i] & (FIRST | SECOND), operation in ("input", "constant")
            where = (-1, -1) if alone or not own else (own - 1, 0) if own in SIDES else (0, 1)
            if where == (0, 1) and needed[i] in SIDES:
                where = (needed[i] - 1, 2)
            core.append(where[0])
            phase.append(where[1])
        return cls(f, core, phase)

    @property
    def longest(self) -> int:
        """Operations of the core that has more, phase by phase."""
        counts = np.zeros((2, 3), dtype=int)
        for core, phase in zip(self.core, self.phase, strict=True):
            if core >= 0:
                counts[core, phase] += 1
        free = sum(
            c < 0 and i[0] not in ("input", "constant") for c, i in zip(self.core, self.instructions, strict=True)
        )
        return free + int(counts.max(axis=0).sum())

    @cached_property
    def instructions(self) -> Sequence[tuple]:
        """Those of the program."""
        return self.f.program.instructions

    def code(self) -> tuple[str, int]:
        """Return the C functions `alone`, `first_core` and `second`, and how many values the cores hand over."""
        slots: dict[int, int] = {}
        for i, (operation, *operands) in enumerate(self.instructions):
            for o in operands if operation not in ("input", "constant") else ():
                if isinstance(o, int) and self.core[i] >= 0 <= self.core[o] != self.core[i]:
                    slots.setdefault(o, len(slots))
        every = range(len(self.instructions))
        phases = [[[i for i in every if (self.core[i], self.phase[i]) == (c, p)] for p in range(3)] for c in (0, 1)]
        free = [i for i in every if self.core[i] < 0]
        first = [
            "signal_to(&go, round);",
            *self._lines([*free, *phases[0][0]], 0, slots),
            "wait_for(&inward, round);",
            *self._lines(phases[0][1], 0, slots),
            "signal_to(&base, round);",
            *self._lines(phases[0][2], 0, slots),
            *self._results(0, "out"),
            "wait_for(&done, round);",
        ]
        second = [
            *self._lines([*free, *phases[1][0]], 1, slots),
            "signal_to(&inward, round);",
            "wait_for(&base, round);",
            *self._lines(phases[1][2], 1, slots),
            *self._results(1, "y[1]"),
            "signal_to(&done, round);",
        ]
        whole = [*self._lines(every, -1, {}), *self._results(-1, "out")]
        texts = [
            _function("alone(double *out)", whole),
            _function("first_core(long round, double *out)", first),
            _function("second(long round)", second),
        ]
        return "\n".join(texts), len(slots)

    def _lines(self, ids: Sequence[int], core: int, slots: Mapping[int, int]) -> Iterator[str]:
        """Yield C for values on a core (-1: all on one), and the stores of those that the other core reads."""

        def operand(o: float) -> str:
            if not isinstance(o, int):
                return f"({o!r})"
            other = core >= 0 <= self.core[o] != core
            return f"w[{self.core[o]}][{slots[o]}]" if other else f"v{o}"

        for i in ids:
            operation, *operands = self.instructions[i]
            if operation == "input":
                yield f"const double v{i} = x[{operands[0]}];"
            elif operation == "constant":
                yield f"const double v{i} = {operands[0]!r};"
            else:
                form = C[operation].format(*map(operand, operands), f="", scalar="double")
                yield f"const double v{i} = {form};"
            if i in slots:
                yield f"w[{core}][{slots[i]}] = v{i};"

    def _results(self, core: int, out: str) -> Iterator[str]:
        for k, output in enumerate(self.f.program.outputs):
            of = max(self.core[output], 0) if isinstance(output, int) else 0
            if core in (-1, of):
                yield f"{out}[{k}] = {f'v{output}' if isinstance(output, int) else repr(output)};"


def _function(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"__attribute__((noinline)) static void {head} {{", *lines, "}"])


def run(split: Split, robot: sg.Robot, seconds: float, cores: Sequence[int]) -> Times:
    """Compile both ways of a call, and time them in turn; `error` is the relative difference from the function."""
    rng, f = np.random.default_rng(0), split.f
    q = robot.random(rng) if not robot.is_closed else closed_states(robot, 1)[0]
    state = np.concatenate([q, rng.standard_normal(2 * robot.nv)])
    names = [f"{a}" for argument in f.arguments for a in argument.names]
    given = [state[names.index(name)] for name in f.program.input_names]
    code, handed_over = split.code()
    sizes = f"#define INPUTS {len(given)}\n#define OUTPUTS {robot.nv}\n#define SHARED {handed_over}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "cores.c", f"{folder}/cores"
        source.write_text(sizes + DRIVER.replace("CODE", code))
        subprocess.run(["cc", "-O1", "-w", "-D_GNU_SOURCE", "-pthread", "-o", program, str(source), "-lm"], check=True)
        arguments = [program, str(seconds), *map(str, cores[:2]), *map(repr, map(float, given))]
        out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    alone, together, empty, *values = map(float, out.split())
    right = f(*np.split(state, [robot.nq, robot.nq + robot.nv]))
    error = np.abs(np.reshape(values, (2, robot.nv)) - right).max() / np.abs(right).max()
    return Times(alone, together, empty, float(error))


def sides(robot: sg.Robot) -> Mapping[str, int]:
    """Return which core each joint goes to; those that carry both sides are left out."""

    def below(joint: Joint) -> list[str]:
        return [joint.name, *(name for child in robot.children(joint.child) for name in below(child))]

    parts = list(robot.children(robot.links[0].name))
    while len(below(largest := max(parts, key=lambda joint: len(below(joint))))) > UNEVEN * len(robot.joints):
        parts = [joint for joint in parts if joint is not largest] + list(robot.children(largest.child))
    found, sizes = dict[str, int](), [0, 0]
    for part in sorted(parts, key=lambda joint: -len(below(joint))):
        lighter = int(sizes[1] < sizes[0])
        sizes[lighter] += len(below(part))
        found |= dict.fromkeys(below(part), SIDES[lighter])
    return found


if __name__ == "__main__":
    main()
