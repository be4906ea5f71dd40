"""Closing does not depend on the unit of length: mechanisms of any size close in the same steps."""

from dataclasses import replace
from math import cos, hypot, sin

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import finite_displacement, position_problem, velocity_problem
from screwgraph.mechanics.mechanism.branch_tracking import follow_branch
from screwgraph.model.mechanism import closure
from screwgraph.model.mechanism.assembled_positions import find_assembled_states
from screwgraph.model.mechanism.closure import coordinate_units

SIZES = (1e-6, 1e-3, 1.0, 1e3, 1e6)
FOUR_BAR = """
points:
  - {{name: A, x: 0, y: 0, fixed: true}}
  - {{name: B, x: {0[0]!r}, y: {0[1]!r}}}
  - {{name: C, x: {1[0]!r}, y: {1[1]!r}}}
  - {{name: D, x: {2!r}, y: 0, fixed: true}}
bodies:
  - {{name: crank, points: [A, B], length: {3!r}}}
  - {{name: coupler, points: [B, C], length: {4!r}}}
  - {{name: rocker, points: [C, D], length: {5!r}}}
angles:
  - {{angle: theta, of: [A, B], start: {6!r}}}
"""


def joints(theta: float, size: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return B and C of a four-bar with lengths 0.2, 0.8, 0.7, 1 times a size: circles that intersect."""
    r, a, b, d = 0.2 * size, 0.8 * size, 0.7 * size, size
    B = r * cos(theta), r * sin(theta)
    way = hypot(d - B[0], B[1])
    along = (a * a - b * b + way * way) / (2.0 * way)
    across, ux, uy = (a * a - along * along) ** 0.5, (d - B[0]) / way, -B[1] / way
    return B, (B[0] + along * ux - across * uy, B[1] + along * uy + across * ux)


@pytest.mark.parametrize("turn", [0.3, 0.7, 1.2, 2.0])
def test_a_four_bar_of_any_size_closes_far_from_its_drawing(turn, monkeypatch):
    counted, steps = [], closure.take_damped_step
    monkeypatch.setattr(closure, "take_damped_step", lambda *a, **k: counted.append(1) or steps(*a, **k))
    counts = set()
    for size in SIZES:
        counted.clear()
        drawn, theta = joints(1.0, size), 1.0 + turn
        lengths = (size, 0.2 * size, 0.8 * size, 0.7 * size)
        mechanism = sg.load_mechanism(FOUR_BAR.format(*drawn, *lengths, theta))
        (x, y), C = joints(theta, size)
        np.testing.assert_allclose(mechanism.home, [x, y, *C, theta], rtol=1e-11)
        counts.add(len(counted))
    assert len(counts) == 1


def resize(mechanism: sg.Mechanism, size: float) -> sg.Mechanism:
    """Return a mechanism all of whose lengths are so many times longer."""

    def place(way):
        return tuple(x * size for x in way)

    points = tuple(replace(p, x=p.x * size, y=p.y * size, z=p.z * size) for p in mechanism.points)
    bodies = tuple(
        replace(
            b,
            shape=(*map(place, b.shape[: len(b.points)]), *b.shape[len(b.points) :]),
            com=place(b.com),
            inertia=tuple(x * size**2 for x in b.inertia) if isinstance(b.inertia, tuple) else b.inertia * size**2,
        )
        for b in mechanism.bodies
    )
    return replace(mechanism, points=points, bodies=bodies, source=None)


def answers(mechanism: sg.Mechanism) -> dict[str, np.ndarray]:
    """Return positions and velocities in units of the size."""
    unit, z, home = coordinate_units(mechanism), list(mechanism.freedom.independent), mechanism.home
    wanted = {mechanism.coordinates[i]: home[i] - 0.05 * unit[i] for i in z}
    path = follow_branch(mechanism, home, tuple(z), home[z] - np.linspace(0.0, 0.05, 6)[:, None] * unit[z])
    return {
        "home": home / unit,
        "displacement": finite_displacement(mechanism, home, wanted, 3)[-1] / unit,
        "position": position_problem(mechanism, wanted) / unit,
        "velocity": velocity_problem(mechanism, home, {next(iter(wanted)): unit[z[0]]}) / unit,
        "branch": path / unit,
        "assembled": find_assembled_states(mechanism, 12) / unit,
        "closed": sg.closed_positions(mechanism)(path[1][z], home) / unit,
    }


LONG = [pytest.param(name, marks=pytest.mark.suite) for name in ("gear_train", "parallel_robot")]


@pytest.mark.parametrize("name", ["slider_crank", "rssr", *LONG])
def test_mechanisms_in_millimetres_or_kilometres_are_those_in_metres(name):
    loaded = sg.load_mechanism(name)
    expected = answers(loaded)
    for size in (1e-3, 1e3):
        resized = resize(loaded, size)
        assert resized.independent_coordinates == loaded.independent_coordinates
        for what, found in answers(resized).items():
            np.testing.assert_allclose(found, expected[what], rtol=1e-8, atol=1e-9, err_msg=f"{what}, {size:g}")


def test_a_point_that_is_closed_to_millimetres_only_is_open():
    text = FOUR_BAR.format(*joints(1.0, 1e-3), 1e-3, 2e-4, 8e-4, 4.0e-3, 1.0)
    with pytest.raises(sg.ModelError, match=r"'rocker' is 0\.004 m long where its points lie 0\.0007 m apart"):
        sg.load_mechanism(text)


def test_a_given_angle_is_not_met_half_a_turn_off():
    crank = sg.load_mechanism("slider_crank")
    theta = crank.home[crank.index("theta")] + 2.9
    q = position_problem(crank, {"theta": theta})
    np.testing.assert_allclose(crank.position(q, "crank_pin"), [0.1 * cos(theta), 0.1 * sin(theta)], atol=1e-11)
