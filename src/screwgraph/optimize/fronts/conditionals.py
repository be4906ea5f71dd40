"""The Bayes tree as conditional densities of cliques: what is eliminated last stands on no other clique.

Kaess et al., The Bayes tree: An algorithmic foundation for probabilistic robot mapping (2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line


@dataclass(frozen=True, eq=False)
class Conditional:
    """R x_own + S x_above = d: density of a clique's own unknowns, given those above it.

    Both are numbers of unknowns, in the order of columns. [R S] is `rows`; R is upper triangular.
    """

    __repr__ = one_line

    own: Int[np.ndarray, " f"]
    above: Int[np.ndarray, " s"]
    rows: Float[np.ndarray, "m n"]
    d: Float[np.ndarray, " m"]

    @property
    def members(self) -> Int[np.ndarray, " m"]:
        """Its own unknowns, then those above."""
        return np.concatenate([self.own, self.above])


@dataclass(frozen=True, eq=False)
class Stored:
    """The cliques of a tree, as its tables have them."""

    tables: Any
    """Its `TreeTables`, with NumPy's arrays."""

    def conditional(self, clique: int) -> Conditional:
        """Return one clique."""
        own, pool = self.tables.cliques[clique], self.tables.pool
        block, count, f, m = (int(own[k]) for k in ("block", "unknowns", "own_dim", "dim"))
        listed = pool[block : block + count].astype(np.int64)
        front = pool[block + count : block + count + (m + 1) * f].reshape(f, m + 1)
        first = int(own["frontals"])
        return Conditional(listed[:first], listed[first:], np.triu(front[:, :m]), -front[:, m])

    def places(self, i: Int[np.ndarray, " k"] | None, j: Int[np.ndarray, " k"]) -> Int[np.ndarray, " k"]:
        """Return where entries (i, j) of J'J, in directions of all unknowns, stand in the pool; J'r's where i is None.

        An entry stands in the front of the unknown that is eliminated first, whose clique has both.
        """
        dims, cliques, pool = self.tables.unknowns["dim"], self.tables.cliques, self.tables.pool
        of, count = np.repeat(np.arange(len(dims)), dims), len(dims)
        within = np.arange(len(of)) - self.tables.unknowns["offset"][of]
        keys, columns = [], []  # of each clique's unknowns
        for c in np.unique(self.tables.unknowns["clique"]).tolist():
            listed = pool[cliques["block"][c] :][: cliques["unknowns"][c]].astype(np.int64)
            keys.append(c * count + listed)
            columns.append(np.cumsum(dims[listed]) - dims[listed])
        key, column = np.concatenate(keys), np.concatenate(columns)
        order = np.argsort(key)
        key, column = key[order], column[order]
        other, own = j if i is None else i, self.tables.unknowns["clique"]
        there = own[of[j]] * count + of[other]
        has_both = key[np.minimum(np.searchsorted(key, there), len(key) - 1)] == there
        clique = np.where(has_both, own[of[j]], own[of[other]])
        a, b = (column[np.searchsorted(key, clique * count + of[d])] + within[d] for d in (other, j))
        size = cliques["dim"][clique]
        first = cliques["block"][clique] + cliques["unknowns"][clique]
        return first + np.minimum(a, b) * (size + 1) + (size if i is None else np.maximum(a, b))

    def above(self, unknowns: Sequence[int]) -> list[int]:
        """Return the cliques between unknowns and the roots, each before those that it stands on."""
        depth: dict[int, int] = {}
        for v in unknowns:
            path, c = [], int(self.tables.unknowns["clique"][v])
            while c > 0 and c not in depth:
                path.append(c)
                c = int(self.tables.cliques["parent"][c])
            first = depth.get(c, 0)
            for k, clique in enumerate(reversed(path), start=1):
                depth[clique] = first + k
        return sorted(depth, key=lambda c: -depth[c])

    @property
    def _eliminated(self) -> list[int]:
        return np.flatnonzero(self.tables.unknowns["clique"] > 0).tolist()

    def all(self) -> Iterator[Conditional]:
        """Yield all cliques, each before those that it stands on."""
        yield from map(self.conditional, self.above(self._eliminated))

    def joint_covariances(self) -> Iterator[tuple[Conditional, Float[np.ndarray, "n n"]]]:
        """Yield all cliques, each behind those that it stands on, with the joint covariance of its unknowns, own first.

        Selected inversion: Takahashi, Fagan, Chen (1973); see `optimize.linear.covariance`.
        """
        from scipy.linalg import solve_triangular

        dims, known = self.tables.unknowns["dim"], dict[int, tuple[Conditional, np.ndarray]]()
        for k in reversed(self.above(self._eliminated)):
            c, above = self.conditional(k), np.zeros((0, 0))
            f, parent = len(c.d), int(self.tables.cliques["parent"][k])
            if parent:
                upper, joint = known[parent]
                at = dict(
                    zip(upper.members.tolist(), np.cumsum(dims[upper.members]) - dims[upper.members], strict=True)
                )
                places = _places(c.above.tolist(), at, dims)
                above = joint[np.ix_(places, places)]
            inverse = solve_triangular(c.rows[:, :f], np.eye(f))
            gain = inverse @ c.rows[:, f:]  # own = -gain above + noise
            tied = -gain @ above
            found = np.block([[inverse @ inverse.T - tied @ gain.T, tied], [tied.T, above]])
            known[k] = c, found
            yield known[k]

    def covariance(self, unknowns: Sequence[int]) -> Float[np.ndarray, "n n"]:
        """Return the joint covariance of unknowns, in their order: Y'Y where R'Y = E, along paths to the roots.

        Cliques that are not on the paths play no part: their rows have no entry in columns of those above them.
        """
        from scipy.linalg import solve_triangular

        dims = self.tables.unknowns["dim"]
        cliques = [self.conditional(c) for c in self.above(unknowns)]
        members = [v for c in cliques for v in c.own.tolist()]
        at = dict(zip(members, (np.cumsum(dims[members]) - dims[members]).tolist(), strict=True))
        right = np.zeros((int(dims[members].sum()), int(dims[list(unknowns)].sum())))
        column = 0
        for v in unknowns:
            k = int(dims[v])
            right[at[v] + np.arange(k), column + np.arange(k)] = 1.0
            column += k
        for c in cliques:
            where, f = _places([*c.own.tolist(), *c.above.tolist()], at, dims), len(c.d)
            own = where[:f]
            right[own] = solve_triangular(c.rows[:, :f], right[own], trans=1)
            right[where[f:]] -= c.rows[:, f:].T @ right[own]
        return right.T @ right


def _places(members: Sequence[int], at: dict[int, int], dims: np.ndarray) -> Int[np.ndarray, " n"]:
    return np.concatenate([at[v] + np.arange(int(dims[v])) for v in members])
