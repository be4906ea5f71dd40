"""Hard factors of one kind: residuals, and the entries of their Jacobian, one row after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.batch import Batch
from screwgraph.optimize.kernel_calls import KernelCall
from screwgraph.optimize.linear import MatrixEntries, RowGroups, RowPattern
from screwgraph.optimize.value_layout import ValueLayout


@dataclass(frozen=True)
class RowTarget:
    """Target of a batch of so many factors: residuals, entries of the Jacobian.

    Numbers of one factor stand one after the other; if `side_by_side`, those of all factors do.
    """

    residuals: slice
    entries: slice
    count: int
    side_by_side: bool

    def view_residuals(self, residuals: Float[np.ndarray, " m"]) -> Float[np.ndarray, "N r"]:
        """Return those of each factor, as a view."""
        return self._view(residuals[self.residuals])

    def view_entries(self, entries: Float[np.ndarray, " e"]) -> Float[np.ndarray, "N j"]:
        """Return those of each factor, as a view."""
        return self._view(entries[self.entries])

    def _view(self, own: np.ndarray) -> np.ndarray:
        return own.reshape(-1, self.count).T if self.side_by_side else own.reshape(self.count, -1)


@dataclass(frozen=True, eq=False)
class CurvatureEntries:
    """Entries of the curvature, the second derivative of y'r; and where each batch puts its own."""

    rows: Int[np.ndarray, " b"]
    columns: Int[np.ndarray, " b"]
    places: list[slice]


@dataclass(frozen=True, eq=False)
class BoundRows:
    """Residuals (m,) and entries of the Jacobian (e,), which `calls` write."""

    residuals: Float[np.ndarray, " m"]
    entries: Float[np.ndarray, " e"]
    calls: list[KernelCall]


@dataclass(frozen=True, eq=False)
class BoundSlopes:
    """Residuals (m,) and products J'y of each factor (p,), which `evaluate` writes; y (m,) are `multipliers`.

    Product e belongs to direction `columns[e]`.
    """

    residuals: Float[np.ndarray, " m"]
    multipliers: Float[np.ndarray, " m"]
    products: Float[np.ndarray, " p"]
    columns: Int[np.ndarray, " p"]
    calls: tuple[tuple[np.ufunc, Callable[[], list[np.ndarray]], np.ndarray, tuple[np.ndarray, np.ndarray]], ...]

    def evaluate(self) -> None:
        """Write residuals and products at the values and multipliers that are there now."""
        for adjoint, inputs, y, out in self.calls:
            adjoint(*inputs(), y, out=out)


class ConstraintRows:
    """Residuals of hard factors in one vector, batch by batch; `rows`, `columns`: where Jacobian entries are."""

    side_by_side = False
    """Whether the same number of all factors of a batch stand one after the other."""

    def __init__(self, layout: ValueLayout, batches: Sequence[Batch]) -> None:
        self.layout, self.batches = layout, list(batches)
        rows, columns, places = [], [], []
        count = entries = 0
        for batch in self.batches:
            kernels, directions = batch.factors.kernels, batch.directions(layout)
            n, (i, j) = len(batch), kernels.places
            ends = (count + n * kernels.rows, entries + n * len(i))
            place = RowTarget(slice(count, ends[0]), slice(entries, ends[1]), n, self.side_by_side)
            order = "F" if self.side_by_side else "C"
            rows.append(place.view_residuals(np.arange(ends[0]))[:, i].ravel(order))
            columns.append(directions[:, j].ravel(order))
            places.append(place)
            count, entries = ends
        self.count, self.places = count, places
        self.rows, self.columns = join_places(rows), join_places(columns)

    @cached_property
    def matrix(self) -> MatrixEntries:
        """The Jacobian, for products with vectors."""
        return MatrixEntries.from_places(self.rows, self.columns, (self.count, self.layout.size))

    @cached_property
    def bends(self) -> CurvatureEntries:
        """Places of the curvature, which takes long to derive."""
        rows, columns, places, count = [], [], [], 0
        for batch in self.batches:
            (a, b), directions = batch.factors.kernels.bends, batch.directions(self.layout)
            first, second = directions[:, a], directions[:, b]
            rows.append(np.maximum(first, second).ravel())
            columns.append(np.minimum(first, second).ravel())
            places.append(slice(count, count := count + first.size))
        return CurvatureEntries(join_places(rows), join_places(columns), places)

    @property
    def blocks(self) -> Int[np.ndarray, " b"]:
        """Numbers of rows that belong together: those of one factor."""
        sizes = [np.full(len(b), b.factors.rows) for b in self.batches]
        return np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.intp)

    def with_batches(self, batches: Sequence[Batch]) -> ConstraintRows:
        """Return the same rows with other parameters."""
        other = copy(self)
        other.batches = list(batches)
        return other

    def residuals(self, views: dict[str, np.ndarray]) -> Float[np.ndarray, " m"]:
        """Return all residuals."""
        found = np.empty(self.count)
        for batch, place in zip(self.batches, self.places, strict=True):
            kernels = batch.factors.kernels
            kernels.residual(*batch.inputs(views), out=place.view_residuals(found))
        return found

    def bind_residuals(self, found: Float[np.ndarray, " m"]) -> list[KernelCall]:
        """Return the calls that write all residuals to an array."""
        rows = zip(self.batches, self.places, strict=True)
        return [KernelCall(b.factors.kernels.residual, b, (place.view_residuals(found),)) for b, place in rows]

    def bind(self, entries: Float[np.ndarray, " e"] | None = None) -> BoundRows:
        """Return the rows' residuals and slopes, in an array where one is given, and the calls that write them."""
        entries = np.empty(self.rows.size) if entries is None else entries
        found, calls = np.empty(self.count), []
        for batch, place in zip(self.batches, self.places, strict=True):
            out = place.view_residuals(found), place.view_entries(entries)
            calls.append(KernelCall(batch.factors.kernels.jacobian, batch, out))
        return BoundRows(found, entries, calls)

    def bind_slopes(self, views: dict[str, np.ndarray]) -> BoundSlopes:
        """Return the rows' residuals and J'y as functions of values that change in their places; no Jacobian."""
        columns = [batch.directions(self.layout).ravel() for batch in self.batches]
        found, y, products, calls = np.empty(self.count), np.zeros(self.count), np.empty(sum(map(len, columns))), []
        first = 0
        for batch, place, own in zip(self.batches, self.places, columns, strict=True):
            here = slice(first, first := first + len(own))
            out = (place.view_residuals(found), products[here].reshape(place.count, -1))
            calls.append((batch.factors.kernels.adjoint, batch.bind(views), place.view_residuals(y), out))
        return BoundSlopes(found, y, products, np.ascontiguousarray(join_places(columns)), tuple(calls))

    def linearise(self, views: dict[str, np.ndarray]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " e"]]:
        """Return all residuals, and the entries of their Jacobian."""
        bound = self.bind()
        for call in bound.calls:
            call.evaluate(views)
        return bound.residuals, bound.entries

    def bind_curvature(self, y: Float[np.ndarray, " m"], found: Float[np.ndarray, " b"]) -> list[KernelCall]:
        """Return the calls that write the entries, at `bends`, of the second derivative of y'r to an array."""
        rows = zip(self.batches, self.places, self.bends.places, strict=True)
        bent = [(batch, place, bends) for batch, place, bends in rows if bends.start < bends.stop]
        return [
            KernelCall(b.factors.kernels.curvature, b, (place.view_residuals(y), found[at].reshape(place.count, -1)))
            for b, place, at in bent
        ]


class InequalityRows(ConstraintRows):
    """Rows of inequalities: the same row of all factors of a batch stand side by side, so that vectors hold these."""

    side_by_side = True

    @cached_property
    def groups(self) -> RowGroups:
        """The Jacobian, for products with vectors, and its squares."""
        found = []
        for batch in self.batches:
            kernels = batch.factors.kernels
            found.append(RowPattern(kernels.rows, *kernels.places, batch.directions(self.layout)))
        return RowGroups(found, self.layout.size)


def join_places(parts: list[np.ndarray]) -> np.ndarray:
    """Return places one after the other, of which there may be none."""
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)
