"""Random planar mechanisms, and horizons of them: open chains, linkages, slider-cranks, gears, springs, dampers."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
from tests.motion.control.predictive.planar_bars import PlanarBars
from tests.motion.control.predictive.random_horizons import Drawn, draw_limits, draw_weights
from tests.motion.control.predictive.transcription import Task

import screwgraph as sg
from screwgraph.motion.control import stack_references

KINDS = ("four", "open2", "five", "slider", "open3", "geared", "four open1", "slider open2", "six")
"""Parts of a mechanism, which share the world alone."""
SEED = 7000
"""That of the first horizon."""


class Drawing:
    """Points, bars and angles of a mechanism as they are drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.points, self.bars, self.lines = list[np.ndarray](), list[Any](), list[str]()
        self.pins, self.guides, self.gears, self.held = list[Any](), list[Any](), list[Any](), dict[int, Any]()
        self.angles, self.more = list[tuple[int, int]](), list[str]()

    def point(self, x: Any, fixed: bool = False) -> int:
        k = len(self.points)
        self.points.append(np.asarray(x, dtype=float))
        self.lines.append(f"  - {{name: P{k}, x: {float(x[0])!r}, y: {float(x[1])!r}{', fixed: true' * fixed}}}")
        if fixed:
            self.held[k] = (-1, self.points[k])
        return k

    def bar(self, a: int, b: int) -> int:
        """Add a bar between points, pinned to what holds these."""
        rng, way = self.rng, self.points[b] - self.points[a]
        length, mass, i = float(np.hypot(*way)), float(rng.uniform(0.3, 2.0)), len(self.bars)
        com = np.array([rng.uniform(0.2, 0.8) * length, rng.uniform(-0.05, 0.05)])
        inertia = mass * length**2 * rng.uniform(0.05, 0.15)
        self.bars.append((mass, inertia, com))
        about = inertia + mass * com @ com
        given = f"mass: {mass!r}, I0: {float(about)!r}, cog: [{float(com[0])!r}, {float(com[1])!r}]"
        self.more.append(f"  - {{name: B{i}, points: [P{a}, P{b}], {given}}}")
        for point, at in ((a, np.zeros(2)), (b, np.array([length, 0.0]))):
            if point in self.held:
                self.pins.append((self.held[point], (i, at)))
            else:
                self.held[point] = (i, at)
        return i


def draw_mechanism(rng: np.random.Generator, kinds: str) -> tuple[PlanarBars, str, np.ndarray, list[str]]:
    """Return bars, their YAML, coordinates (x, y, turn) of bars as drawn, and the names of motors."""
    own, at = Drawing(rng), np.zeros(2)
    ends, text_angles, extra = list[tuple[int, int]](), list[str](), list[str]()

    def add_bar(a: int, b: int) -> int:
        ends.append((a, b))
        return own.bar(a, b)

    def add_angle(bar: int, base: int = -1) -> None:
        own.angles.append((bar, base))
        name, (a, b) = f"a{len(own.angles) - 1}", ends[bar]
        of = f", from: [P{ends[base][0]}, P{ends[base][1]}]" if base >= 0 else ""
        text_angles.append(f"  - {{angle: {name}, of: [P{a}, P{b}]{of}}}")

    def way(angle: float, length: float) -> np.ndarray:
        turn, size = angle + rng.uniform(-0.3, 0.3), length * rng.uniform(0.8, 1.2)
        return size * np.array([np.cos(turn), np.sin(turn)])

    for kind in kinds.split():
        at = at + np.array([2.0, rng.uniform(-0.3, 0.3)])
        foot = own.point(at, fixed=True)
        if kind.startswith("open"):
            last, base = foot, -1
            for _ in range(int(kind[-1])):
                then = own.point(own.points[last] + way(rng.uniform(-3.0, 3.0), 0.5))
                bar = add_bar(last, then)
                add_angle(bar, base if rng.random() < 0.5 else -1)
                last, base = then, bar
        elif kind == "geared":
            first = add_bar(foot, own.point(at + way(1.0, 0.4)))
            other = own.point(at + np.array([1.0, 0.2]), fixed=True)
            second = add_bar(other, own.point(own.points[other] + way(-0.5, 0.5)))
            add_angle(first)
            k = len(own.angles)
            a, b = ends[second]
            text_angles.append(f"  - {{angle: g{k}, of: [P{a}, P{b}]}}")
            ratio = float(rng.uniform(-2.0, 2.0))
            extra.append(f"gears: [{{gear: g, angles: [g{k}, a{k - 1}], ratio: {ratio!r}}}]")
            angles = [float(np.arctan2(*(own.points[j] - own.points[i])[::-1])) for i, j in (ends[second], ends[first])]
            own.gears.append(((second, -1), (first, -1), ratio, angles[0] - ratio * angles[1]))
        elif kind == "slider":
            pin = own.point(at + way(1.2, 0.25))
            crank = add_bar(foot, pin)
            piston = own.point(own.points[pin] + way(-0.4, 0.8))
            add_bar(pin, piston)
            along = way(0.0, 1.0)
            one, two = own.point(own.points[piston] - along, True), own.point(own.points[piston] + along, True)
            extra.append(f"sliders: [{{slider: s, point: P{piston}, along: [P{one}, P{two}]}}]")
            normal = np.array([-along[1], along[0]]) / np.hypot(*along)
            own.guides.append((own.held[piston], own.points[one], normal))
            add_angle(crank)
        else:  # linkages: cranks at both ends, bars between
            pin = own.point(at + way(1.5, 0.25))
            crank = add_bar(foot, pin)
            end = own.point(at + np.array([0.9, rng.uniform(-0.1, 0.1)]), fixed=True)
            far = own.point(own.points[end] + way(1.4, 0.5))
            add_angle(crank)
            if kind == "four":
                add_bar(pin, far)
                add_bar(end, far)
            else:
                middle = own.point(0.5 * (own.points[pin] + own.points[far]) + [0.0, 0.5])
                add_bar(pin, middle)
                add_bar(far, middle)
                rocker = add_bar(end, far)
                if kind == "five":
                    add_angle(rocker)
                else:  # a third crank holds the middle: six bars
                    top = own.point(own.points[middle] + [rng.uniform(0.3, 0.5), 0.3])
                    add_bar(middle, top)
                    add_bar(own.point(own.points[top] + [0.4, -0.3], fixed=True), top)
                    add_angle(rocker)
    springs, dampers = list[Any](), list[Any]()
    if rng.random() < 0.6:
        a, b = rng.choice(len(own.points), 2, replace=False)
        rest = float(np.hypot(*(own.points[a] - own.points[b])) * rng.uniform(0.7, 1.1))
        springs.append((own.held[a], own.held[b], 20.0, rest))
        extra.append(f"springs: [{{spring: e, between: [P{a}, P{b}], stiffness: 20.0, rest: {rest!r}}}]")
        dampers.append((own.held[a], own.held[b], 0.5))
        extra.append(f"dampers: [{{damper: d, between: [P{a}, P{b}], damping: 0.5}}]")
    Q = np.array([[*own.points[a], np.arctan2(*(own.points[b] - own.points[a])[::-1])] for a, b in ends]).ravel()
    names = [f"a{k}" for k in range(len(own.angles))]
    motors = names if rng.random() < 0.7 or len(names) < 2 else names[:-1]
    text = "\n".join(
        ["name: drawn", "points:", *own.lines, "bodies:", *own.more, "angles:", *text_angles, *extra,
         f"motors: [{', '.join(motors)}]", f"independent: [{', '.join(names)}]", ""]
    )  # fmt: skip
    driven = [names.index(x) for x in motors]
    bars = PlanarBars(own.bars, own.pins, own.angles, driven, own.guides, own.gears, springs, dampers)
    return bars, text, Q, motors


def draw_planar(seed: int) -> Drawn:
    """Return a horizon of a random mechanism."""
    rng, kinds = np.random.default_rng(SEED + seed), KINDS[seed % len(KINDS)]
    bars, text, Q, motors = draw_mechanism(rng, kinds)
    model = sg.load_mechanism(text)
    n, dt, N = bars.nv, float(rng.choice([0.01, 0.02])), int(rng.integers(5, 15))
    home = np.array([model.home[model.index(f"a{k}")] for k in range(n)])
    y, goal, v = home, home + rng.uniform(-0.3, 0.3, n), rng.uniform(-0.5, 0.5, n)
    most = 9.81 * sum(mass for mass, *_ in bars.bars) * rng.uniform(0.1, 0.5, len(bars.driven))
    full = np.full(n, np.inf)
    full[list(bars.driven)] = most
    limits, speed = draw_limits(rng, full)
    options, more, frame = dict[str, Any](), dict[str, Any](), None
    if rng.random() < 0.4:
        part = int(rng.integers(len(bars.bars)))
        options["frames"], frame = [f"B{part}"], (part, np.eye(3), np.zeros(3))
        pose = np.eye(4)
        pose[:2, 3] = Q[3 * part : 3 * part + 2] + rng.uniform(-0.05, 0.05, 2)
        more["frame_weights"] = 10.0 ** rng.uniform([-1] * 3 + [0] * 3, [0] * 3 + [1] * 3)[None]
        angle = Q[3 * part + 2]
        pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        more["frames"] = np.tile(pose, (N + 1, 1, 1))[:, None]
    if rng.random() < 0.3:
        options["rate"], more["first"] = 4.0 / dt, float(rng.uniform(0.2, 1.0) * dt)
    control = sg.mpc(model, dt, N, limits=limits, **options)
    weights = draw_weights(rng, n, len(motors))
    references = stack_references(control, goal, rng.uniform(-0.2, 0.2, n) * (rng.random() < 0.3))
    up = np.append(np.full(n, np.inf), speed)
    goals, own = more.get("frames"), more.get("frame_weights")
    task = Task(
        bars, dt, N, most, -up, up, limits.penalty, references, weights, y, v, None, more.get("first"), frame,
        None if goals is None else goals[:, 0], np.zeros(6) if own is None else own[0],
    )  # fmt: skip
    return Drawn(model, control, task, more, lambda states: close_bars(bars, states, Q))


def close_bars(bars: PlanarBars, states: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Return coordinates and velocities of bars (N + 1, closing) of states, by Newton's method from bars as drawn."""
    p, z, v = casadi.SX.sym("p", bars.closing), casadi.SX.sym("z", bars.nq), casadi.SX.sym("v", bars.nv)
    rows = bars.close(z, v, p)
    step = casadi.Function("step", [p, z, v], [rows, casadi.jacobian(rows, p)])
    last, found = np.concatenate([Q, np.zeros(bars.size)]), list[np.ndarray]()
    for state in states:
        for _ in range(20):
            left, slopes = (np.array(x) for x in step(last, state[: bars.nq], state[bars.nq :]))
            last = last - np.linalg.lstsq(slopes, left.ravel())[0]
        found.append(last)
    return np.array(found)
