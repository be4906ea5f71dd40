"""Shapes of links: what covers them does, and a new one is a class and an entry of the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.formats.robot_yaml import keys as robot_keys
from screwgraph.model.robot.shapes import SHAPES, Ball, Primitive, Segment, Solid
from screwgraph.motion.planning.collision.automatic_spheres import automatic_spheres
from screwgraph.motion.planning.collision.capsules import automatic_capsules
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes
from screwgraph.ui.view.primitive_parts import split_into_primitives

SLACK = 1e-9
"""Rounding of lengths of about 1 m."""


@dataclass(frozen=True)
class Disc:
    """A new shape: a flat disc across its own x, `thickness` (m) from face to face."""

    word: ClassVar[str] = "disc"
    about: ClassVar[str] = "disc across x"
    settings: ClassVar[Mapping[str, int]] = {"radius": 1, "thickness": 1}
    may_vanish: ClassVar[frozenset[str]] = frozenset({"thickness"})

    radius: float
    thickness: float

    @property
    def reach(self) -> float:
        return float(np.hypot(self.radius, 0.5 * self.thickness))

    def primitives(self) -> tuple[Primitive, ...]:
        return (Primitive("sphere", (0.5 * self.thickness, self.radius, self.radius)),)

    def contact_balls(self) -> tuple[Ball, ...]:
        angles = np.arange(6) * np.pi / 3.0
        return tuple(Ball(self.radius * np.array([0.0, np.cos(a), np.sin(a)]), 0.0) for a in angles)

    def covering_balls(self) -> tuple[Ball, ...]:
        return (Ball(np.zeros(3), self.reach),)

    def covering_capsule(self) -> Segment:
        return Segment(np.zeros(3), np.zeros(3), self.reach)


@pytest.fixture(params=[*SHAPES, "disc"])
def kind(request, monkeypatch):
    """The class of each shape; a new one is registered for the test."""
    monkeypatch.setitem(SHAPES, "disc", Disc)
    monkeypatch.setitem(robot_keys.SHAPE, "disc", robot_keys.Entry(Disc.about, "[radius, thickness]", "m"))
    return SHAPES[request.param]


def drawn_shapes(kind: type[Solid]):
    """Yield shapes of a kind: thin ones and thick ones, in metres."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        lengths = {name: np.exp(rng.uniform(-3.0, 1.0, size=count)) for name, count in kind.settings.items()}
        yield kind(**{name: tuple(v.tolist()) if len(v) > 1 else float(v[0]) for name, v in lengths.items()})


def points_of(shape: Solid) -> np.ndarray:
    """Return points on the surface of what is drawn of a shape, in its frame."""
    rng, found = np.random.default_rng(3), []
    for mesh, scale, centre in shape.primitives():
        unit = rng.normal(size=(200, 3))
        if mesh == "box":
            unit = 0.5 * unit / np.abs(unit).max(axis=1, keepdims=True)
        elif mesh == "sphere":
            unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        else:
            unit[:, :2] /= np.linalg.norm(unit[:, :2], axis=1, keepdims=True)
            unit[:, 2] = rng.uniform(-0.5, 0.5, 200).round(1)  # both rims are among them
        found.append(unit * scale + centre)
    return np.concatenate(found)


def test_covers_and_reach_have_the_shape_in_them(kind):
    for shape in drawn_shapes(kind):
        points = points_of(shape)
        assert np.linalg.norm(points, axis=1).max() <= shape.reach + SLACK
        outside = [np.linalg.norm(points - ball.centre, axis=1) - ball.radius for ball in shape.covering_balls()]
        assert np.min(outside, axis=0).max() <= SLACK
        start, end, radius = shape.covering_capsule()
        way = end - start
        share = np.clip((points - start) @ way / max(way @ way, 1e-300), 0.0, 1.0)
        assert np.linalg.norm(points - start - share[:, None] * way, axis=1).max() <= radius + SLACK


def test_what_touches_lies_on_the_shape(kind):
    for shape in drawn_shapes(kind):
        for centre, radius in shape.contact_balls():
            assert np.linalg.norm(centre) + radius <= shape.reach * (1.0 + 1e-12)


def test_files_name_it_and_its_users_ask_it(kind, tmp_path):
    shape = next(drawn_shapes(kind))
    numbers = [n for v in vars(shape).values() for n in (v if isinstance(v, tuple) else (v,))]
    entry = f"{{{kind.word}: {numbers if len(numbers) > 1 else numbers[0]}, at: [0.3, 0, 0]}}"
    text = f"bodies:\n  - {{link: arm, joint: pin, mass: 1.0, inertia: [1, 1, 1], shapes: [{entry}]}}\n"
    (tmp_path / "r.yaml").write_text(text)
    robot = sg.load(tmp_path / "r.yaml")
    (visual,) = robot.links[-1].visuals
    assert visual.shape == shape
    for suffix in ("yaml", "urdf"):
        sg.save(robot, tmp_path / f"again.{suffix}")
        (again,) = sg.load(tmp_path / f"again.{suffix}").links[-1].visuals
        assert again.shape == shape
    assert len(split_into_primitives(visual)) == len(shape.primitives())
    assert len(contacts_of_shapes(robot)) == len(shape.contact_balls())
    assert len(automatic_spheres(robot)) == len(shape.covering_balls())
    (capsule,) = automatic_capsules(robot)
    assert capsule.radius == pytest.approx(shape.covering_capsule().radius)
