"""Spatial inertia, kept as its ten linear parameters so that adding and moving bodies is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, matrix, vector
from screwgraph.spatial.se3 import rotation, translation
from screwgraph.spatial.so3 import skew

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten inertial parameters of a body, in order: mass (kg), first moment (kg m), rotational inertia (kg m^2)."""

CLEAN = 1e-15
"""Part of the largest moment of inertia below which a second moment is what rounding left of zero."""


def second_moments(J: Float[Array, "3 3"]) -> Float[Array, "3 3"]:
    """Return the integrals of r r' dm (kg m^2) of a body of rotational inertia J, without what only rounding left."""
    second = 0.5 * np.trace(J) * np.eye(3) - J
    return second if second.dtype == object else np.where(np.abs(second) > CLEAN * np.abs(J).max(), second, 0.0)


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape)


@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """Inertia of a rigid body in a link frame.

    `mass` (kg), `first_moment` = mass * centre of mass (kg m), `about_origin` = rotational
    inertia about the frame's origin (kg m^2).
    """

    mass: float = 0.0
    first_moment: Float[np.ndarray, "3"] = field(default_factory=lambda: _zeros(3))
    about_origin: Float[np.ndarray, "3 3"] = field(default_factory=lambda: _zeros(3, 3))

    def __repr__(self) -> str:
        x, y, z = self.com
        return f"<inertia: {self.mass:g} kg, centre of mass ({x:g}, {y:g}, {z:g}) m>"

    @classmethod
    def of_body(
        cls, mass: float, com: Float[Array, "3"], about_com: Float[Array, "3 3"], R: Float[Array, "3 3"] | None = None
    ) -> SpatialInertia:
        """Build from mass, centre of mass, and rotational inertia about it in axes R (default: the link's)."""
        c, inertia = np.asarray(com, dtype=float), np.asarray(about_com, dtype=float)
        if R is not None:
            inertia = R @ inertia @ R.T
        return cls(float(mass), mass * c, inertia - mass * skew(c) @ skew(c))

    @classmethod
    def of_parameters(cls, parameters: Sequence[Any]) -> SpatialInertia:
        """Build from the ten inertial `parameters`, numbers of any kind, in the order of `PARAMETERS`."""
        m, hx, hy, hz, xx, yy, zz, xy, xz, yz = parameters
        return cls(m, vector([hx, hy, hz]), matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    @property
    def parameters(self) -> Float[np.ndarray, "10"]:
        """The ten inertial parameters (m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz) (kg, kg m, kg m^2).

        h = m c with the centre of mass c; I is about the frame's origin. Traversaro et al. (2016), eq. (3).
        """
        J = self.about_origin
        return vector([self.mass, *self.first_moment, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])

    @property
    def com(self) -> Float[np.ndarray, "3"]:
        """Centre of mass (m) in the link frame; zero for a massless body."""
        return self.first_moment / self.mass if self.mass else np.zeros(3)

    @property
    def about_com(self) -> Float[np.ndarray, "3 3"]:
        """Rotational inertia (kg m^2) about the centre of mass, in the link's axes."""
        c = skew(self.com)
        return self.about_origin + self.mass * c @ c

    @property
    def is_zero(self) -> bool:
        """Whether the body has neither mass nor inertia."""
        return self.mass == 0.0 and not self.first_moment.any() and not self.about_origin.any()

    def matrix(self) -> Float[np.ndarray, "6 6"]:
        """Return G, angular part first. Lynch & Park (8.32) for a frame anywhere on the body."""
        h = skew(self.first_moment)
        return np.block([[self.about_origin, h], [h.T, self.mass * np.eye(3)]])

    def moved(self, T_ab: Float[np.ndarray, "4 4"]) -> SpatialInertia:
        """Express an inertia given in frame b in frame a. Lynch & Park (8.42)."""
        R, p = rotation(T_ab), translation(T_ab)
        h = R @ self.first_moment
        pX, hX = skew(p), skew(h)
        about = R @ self.about_origin @ R.T - pX @ hX - hX @ pX - self.mass * pX @ pX
        return SpatialInertia(self.mass, h + self.mass * p, (about + about.T) / 2)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        """Join two bodies that are given in the same frame."""
        return SpatialInertia(
            self.mass + other.mass, self.first_moment + other.first_moment, self.about_origin + other.about_origin
        )
