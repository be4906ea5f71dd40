"""Viscous damping."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.tape import Number


@dataclass(frozen=True)
class Damping:
    """The force -d v', d in N m s/rad or N s/m."""

    coefficient: Number

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        return 0.0, self.coefficient
