"""Soles: rectangles that rest on the ground and take moments, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.model import Model
from screwgraph.motion.control.contacts.base import ROUND, Held, HeldContact, Rows, hold_point, make_pyramid
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.motion.simulation.contacts.geometry.contact import FRICTION
from screwgraph.spatial import finite_vector, rotation
from screwgraph.tape import Number

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Sole(HeldContact):
    """A rectangle of a link or frame that lies on the ground; its wrench (6,) has the rectangle's axes.

    Its twist is held at zero. Its wrench is one of forces at the four corners, each in a pyramid in Coulomb's cone:
    Caron et al. (2015), "Stability of surface contacts for humanoid robots". A rectangle of width 0 is an edge: it may
    turn about its length, and takes no moment about it.

    Args:
        frame: the link or frame that carries it.
        length: of the rectangle along x (m).
        width: along y (m), 0 of an edge.
        at: its centre in the frame (m).
        x: along its length, in the frame's axes.
        normal: out of the ground, in the frame's axes.
        friction: Coulomb's coefficient.
    """

    frame: str
    length: float
    width: float
    at: Vector = (0.0, 0.0, 0.0)
    x: Vector = (1.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    friction: float | Float[np.ndarray, " B"] = FRICTION

    NOUN = "a sole"
    ABOUT = "rectangles that rest on the ground"
    KEYS: ClassVar[Keys] = {
        "frame": Entry("link or frame", default=REQUIRED),
        "length": Entry("of the rectangle along x", NUMBER, "m", REQUIRED),
        "width": Entry("along y, 0 of an edge", NUMBER, "m", REQUIRED),
        "at": Entry("its centre in the frame", VECTOR, "m", "[0, 0, 0]"),
        "x": Entry("along its length, in the frame's axes", VECTOR, default="[1, 0, 0]"),
        "normal": Entry("out of the ground, in the frame's axes", VECTOR, default="[0, 0, 1]"),
        "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
    }
    takes_moments = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not (0.0 < self.length < np.inf and 0.0 <= self.width < np.inf):
            raise InputError(
                f"the sole of {self.frame!r} is {self.length!r} by {self.width!r}",
                why="its length must be positive, its width not negative (m)",
            )
        for name in ("at", "x", "normal"):
            finite_vector(getattr(self, name), 3, f"{name} of the sole of {self.frame!r}")
        sizes = np.linalg.norm(self.normal), np.linalg.norm(self.x)
        if not min(sizes):
            raise InputError(
                f"x and normal of the sole of {self.frame!r} are {self.x!r} and {self.normal!r}",
                why="they must have directions",
            )
        if np.linalg.norm(np.cross(self.normal, self.x)) < 0.1 * sizes[0] * sizes[1]:
            raise InputError(
                f"x of the sole of {self.frame!r} is {self.x!r}", why=f"it is along the normal, {self.normal!r}"
            )
        friction = validate_numbers("friction", self.friction)
        if friction.ndim > 1 or not (friction >= 0.0).all():
            raise InputError(
                f"friction of the sole of {self.frame!r} is {self.friction!r}", why="it must not be negative"
            )

    @property
    def size(self) -> int:
        """Six components of a wrench; an edge has no moment about x."""
        return 6 if self.width else 5

    @property
    def structure(self) -> tuple[object, ...]:
        """The rectangle."""
        return "sole", self.frame, self.length, self.width, self.at, self.x, self.normal

    @property
    def axes(self) -> Float[np.ndarray, "3 3"]:
        """x, y and the normal by rows, in the frame's axes."""
        z = np.array(self.normal) / np.linalg.norm(self.normal)
        y = np.cross(z, self.x)
        y /= np.linalg.norm(y)
        return np.array([np.cross(y, z), y, z])

    @property
    def corners(self) -> list[Contact]:
        """Points at the corners, or ends, as contacts of a simulation."""
        x, y, _ = self.axes
        found, sides = list[Contact](), (-0.5, 0.5) if self.width else (0.0,)
        for i in (-0.5, 0.5):
            for j in sides:
                p = self.at + i * self.length * x + j * self.width * y
                found.append(Contact(self.frame, friction=self.friction, at=(float(p[0]), float(p[1]), float(p[2]))))
        return found

    def hold(self, model: Model, ground: Float[np.ndarray, "3 3"], q: Any, qd: Any = None) -> Held:
        """Return the twist of the rectangle, about its centre."""
        J, drift = hold_point(model, self.frame, self.at, q, qd)
        R = rotation(np.asarray(forward_kinematics(model, self.frame)(q))) @ self.axes.T
        own, zero = slice(6 - self.size, 6), np.zeros((3, 3))
        turn = np.block([[R.T, zero], [zero, R.T]])[own]
        return Held(turn @ J, None if qd is None else turn @ drift, turn.T)

    def cone(self, friction: Number) -> tuple[Rows, list[Number]]:
        """Return the cone of wrenches of forces at the corners, and the normal force."""
        mu, X, Y = ROUND * friction, 0.5 * self.length, 0.5 * self.width
        m_x, m_y, m_z, f_x, f_y, f_z = np.eye(6)
        rows = make_pyramid(f_z.tolist(), [f_x.tolist(), f_y.tolist()], mu)
        rows += make_pyramid(f_z.tolist(), [m_y.tolist()], X)
        rows += make_pyramid(f_z.tolist(), [m_x.tolist()], Y) if Y else []
        for turn in (1.0, -1.0):  # mu (X + Y) f_z - turn m_z >= |Y f_x + turn mu m_x| + |X f_y + turn mu m_y|
            for i in (1.0, -1.0):
                for j in (1.0, -1.0):
                    row = mu * (X + Y) * f_z - turn * m_z
                    row = row - i * (Y * f_x + turn * mu * m_x) - j * (X * f_y + turn * mu * m_y)
                    rows.append(list(row))
        own = slice(6 - self.size, 6)
        return [row[own] for row in rows], f_z[own].tolist()
