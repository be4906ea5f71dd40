"""A Bayes tree of linear factors on unknowns, edited in place by machine code.

Kaess et al., iSAM2: Incremental smoothing and mapping using the Bayes tree (2012).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Int

from screwgraph.compiler.kernels import Ints, Kernels, compile_kernels, new_table
from screwgraph.optimize.fronts.affected_cliques import AFFECTED_CLIQUES, gather_elements, mark_affected
from screwgraph.optimize.fronts.back_substitution import (
    SUBSTITUTION,
    list_relinearised,
    substitute_all,
    substitute_some,
)
from screwgraph.optimize.fronts.conditionals import Stored
from screwgraph.optimize.fronts.elimination import (
    ELIMINATION,
    assign_factors,
    make_cliques,
    remove_cliques,
)
from screwgraph.optimize.fronts.front_cholesky import DENSE
from screwgraph.optimize.fronts.incidence_lists import LINKING
from screwgraph.optimize.fronts.min_degree_ordering import ORDERING, order_as_numbered, order_unknowns
from screwgraph.optimize.fronts.small_batches import FEW, SmallBatchCalls
from screwgraph.optimize.fronts.supernodes import GROUPING, form_supernodes
from screwgraph.optimize.fronts.tree_records import (
    AS_NUMBERED,
    FROM_ENDS,
    ActiveUnknown,
    Clique,
    Counters,
    Element,
    Factor,
    Incidence,
    Link,
    Queue,
    Solution,
    Supernode,
    TreeTables,
    Unknown,
    Workspace,
)
from screwgraph.optimize.singular_error import SingularError

TINY = 1e-15
"""Pivots that are left of their diagonal, relative: less is rounding."""


@cache
def compile_tree_code() -> Kernels:
    """Return the machine code of all trees."""
    return compile_kernels(
        (
            *DENSE,
            *LINKING,
            *AFFECTED_CLIQUES,
            *ORDERING,
            *GROUPING,
            *ELIMINATION,
            *SUBSTITUTION,
            *RENEWAL,
            *FEW,
        )
    )


Order = Literal["balanced", "from_ends", "numbers"]
ORDERS: dict[Order, int] = {"balanced": 1, "from_ends": FROM_ENDS, "numbers": AS_NUMBERED}


class BayesTree:
    """Factors, given as J'J and J'r, and the Bayes tree of those that are eliminated.

    A factor's numbers stand in `data` from `where(f)` on: columns of J'J, its lower triangle, with the entry of J'r
    below each, (k, k + 1). `eliminate` wants to be told of the unknowns whose factors have changed. Unknowns that
    are eliminated anew are ordered by degrees: "balanced", with short ways to the root, or "from_ends" of chains, with
    the fewest operations; or by their "numbers".
    """

    def __init__(self, dims: Int[np.ndarray, " n"], order: Order = "balanced") -> None:
        self.count = n = len(dims)
        self._late = ORDERS[order]
        self.delta = np.zeros(int(dims.sum()))
        unknowns, cliques, counters = new_table(Unknown, n), new_table(Clique, n + 2), new_table(Counters, 1)
        unknowns["dim"], unknowns["offset"] = dims, np.cumsum(dims) - dims
        unknowns["clique"] = unknowns["incidence"] = -1
        for link in ("parent", "child", "next", "previous"):
            cliques[link][0] = -1
        counters["used_cliques"], counters["free_clique"], counters["free_blocks"] = 1, -1, -1
        self._counters = {name: counters[name] for name in Counters.dtype.names or ()}
        self._tables: Any = TreeTables(
            unknowns=unknowns,
            cliques=cliques,
            factors=new_table(Factor, 0),
            incidences=new_table(Incidence, 0),
            counters=counters,
            pool=np.zeros(1024),
            data=np.zeros(0),
        )
        ordering, affected, orphans, stack, found, self._far = np.zeros((6, n + 2), dtype=np.int64)
        self._work: Any = Workspace(
            active=new_table(ActiveUnknown, n),
            elements=new_table(Element, 0),
            members=np.zeros(64 + 8 * n, dtype=np.int64),
            links=new_table(Link, 64 + 8 * n),
            queues=new_table(Queue, (int(dims.sum()) if order == "from_ends" else n) + 4),
            supernodes=new_table(Supernode, n),
            affected_cliques=affected,
            orphans=orphans,
            tops=np.zeros(0, dtype=np.int64),
            order=ordering,
        )
        self._solution: Any = Solution(delta=self.delta, x=np.zeros(int(dims.sum()) + 1), stack=stack, found=found)
        self._factors = self._incidences = self._used = 0
        self._functions = compile_tree_code().functions
        self._store_pointers()

    @property
    def data(self) -> Any:
        """Numbers of all factors."""
        return self._tables.data

    @property
    def cliques(self) -> int:
        """How many cliques were made by the last elimination."""
        return int(self._counters["supernodes"][0])

    @property
    def operations(self) -> float:
        """Multiplications that the factorisation of all fronts takes."""
        used = self._tables.cliques[1 : int(self._counters["used_cliques"][0])]
        own, dim = used["own_dim"].astype(float), used["dim"].astype(float)
        return float((own * (dim * (dim - own) + own**2 / 3)).sum())

    @property
    def widest(self) -> int:
        """Directions of the largest front."""
        return int(self._tables.cliques["dim"].max(initial=0))

    @property
    def free(self) -> Bool[np.ndarray, " n"]:
        """Which unknowns no factor touches."""
        return self._tables.unknowns["incidence"] < 0

    def are_free(self, unknowns: Int[np.ndarray, " k"]) -> Bool[np.ndarray, " k"]:
        """Return which of some unknowns no factor touches."""
        return self._tables.unknowns["incidence"][unknowns] < 0

    @property
    def is_eliminated(self) -> bool:
        """Whether all cliques that were made by the last elimination are factored."""
        return 0 < self.cliques == self._counters["made"][0]

    @property
    def is_lost(self) -> bool:
        """Whether the last solution is not finite."""
        return bool(self._counters["lost"][0])

    @property
    def is_finite(self) -> bool:
        """Whether the numbers of all factors are finite."""
        own = self._tables.factors[self.touching(np.arange(self.count))]
        begins, sizes = own["numbers"], own["dim"] * (own["dim"] + 1)
        return all(
            np.isfinite(self.data[b : b + n]).all() for b, n in zip(begins.tolist(), sizes.tolist(), strict=True)
        )

    def compute(self, few: SmallBatchCalls, rows: Int[np.ndarray, " n"]) -> None:
        """Call a kernel for some rows, and put what it returns into the numbers of their factors."""
        self._functions["call_and_scatter"](*few.calling, *self._numbers, *few.putting, rows.ctypes.data, len(rows))

    @property
    def storage(self) -> Stored:
        """Its cliques, to be read."""
        return Stored(self._tables)

    def where(self, factors: Any) -> Any:
        """Return where the numbers of factors begin in `data`."""
        return self._tables.factors["numbers"][factors]

    def add(self, unknowns: Int[np.ndarray, "N a"], size: int, bent: int) -> Int[np.ndarray, " N"]:
        """Add N factors on `a` unknowns each, which have `size` directions; return their numbers.

        What they say is zero yet. `bent` is 1 where they are not linear, else 0.
        """
        count, width = unknowns.shape
        first, incidence, at = self._factors, self._incidences, self._used
        self._factors += count
        self._incidences += count * width
        self._used += count * size * (size + 1)
        if (
            self._factors > len(self._tables.factors)
            or self._incidences > len(self._tables.incidences)
            or self._used > self.data.size
        ):
            self._make_room()
        added = np.arange(first, first + count)
        self._functions["make_factors"](self._numbers[0], first, count, incidence, width, at, size)
        self.link(added, unknowns, bent)
        return added

    def link(self, factors: Int[np.ndarray, " N"], unknowns: Int[np.ndarray, "N a"], bent: int) -> None:
        """Let factors that were removed touch unknowns of the same sizes."""
        touched = np.ascontiguousarray(unknowns)
        arrays = (*self._incidence, factors.ctypes.data, touched.ctypes.data)
        self._functions["link_factors"](*arrays, len(factors), bent)

    def remove(self, factors: Int[np.ndarray, " N"], bent: int) -> None:
        """Let factors touch nothing."""
        self._functions["unlink_factors"](*self._incidence, factors.ctypes.data, len(factors), bent)

    def touching(self, unknowns: Int[np.ndarray, " k"]) -> Int[np.ndarray, " N"]:
        """Return the factors that touch some unknowns."""
        arrays = (*self._incidence, self._counting, unknowns.ctypes.data)
        count = self._functions["list_factors"](*arrays, len(unknowns), self._work.tops.ctypes.data)
        return self._work.tops[:count].copy()

    def find_touched(self, factors: Int[np.ndarray, " N"]) -> Int[np.ndarray, " k"]:
        """Return the unknowns that some factors touch."""
        arrays = (*self._incidence, self._counting, factors.ctypes.data)
        count = self._functions["list_unknowns"](*arrays, len(factors), self._solution.stack.ctypes.data)
        return self._solution.stack[:count].copy()

    def set_late(self, unknowns: Int[np.ndarray, " k"]) -> None:
        """Have some unknowns, and no others, eliminated last from now on."""
        self._late += 1
        self._tables.unknowns["late"][unknowns] = self._late

    @property
    def late(self) -> Int[np.ndarray, " k"]:
        """Unknowns that are eliminated last, by `set_late`."""
        return np.flatnonzero(self._tables.unknowns["late"] == self._late)

    def eliminate(self, unknowns: Int[np.ndarray, " k"]) -> None:
        """Eliminate anew what depends on factors of some unknowns.

        Raises:
            SingularError: an unknown is not determined; the tree is then of no use.
        """
        self._plan(unknowns)
        self._functions["make_tree"](*self._all)
        self._check_pivots(self._functions["eliminate_cliques"](*self._all, TINY))

    def prepare(self) -> None:
        """Make the cliques of all unknowns, whose fronts take numbers instead of factors: see `clear` and `factor`."""
        self._plan(np.arange(self.count))
        self._functions["make_tree"](*self._all)

    def clear(self) -> Any:
        """Write zeros to all fronts of a tree that was prepared, and return where `Stored.places` of entries are."""
        self._functions["clear_fronts"](*self._all)
        return self._tables.pool

    def factor(self, tiny: float = TINY) -> None:
        """Factor fronts after entries of J'J and J'r were added to them; pivots are `tiny` beside their diagonal.

        Raises:
            SingularError: an unknown is not determined; with other numbers it may be.
        """
        self._check_pivots(self._functions["factor_fronts"](*self._all, tiny))

    def _plan(self, unknowns: Int[np.ndarray, " k"]) -> None:
        touched, functions, work = unknowns.ctypes.data, self._functions, self._work
        while functions["plan_update"](*self._all, touched, len(unknowns), work.members.size, self._late) < 0:
            capacity = 2 * work.members.size
            work.members, work.links = np.zeros(capacity, dtype=np.int64), new_table(Link, capacity)
            self._store_pointers()
        need = int(self._counters["used_pool"][0] + self._counters["need"][0])
        if need >= self._tables.pool.size:  # the last number stays free, see `WindowTree`
            self._tables.pool = _longer(self._tables.pool, 2 * need)
            self._store_pointers()

    def _check_pivots(self, are_positive: int) -> None:
        if not are_positive:
            bad = int(self._counters["bad"][0])
            raise SingularError(int(self._counters["bad_direction"][0]), bad)

    def solve(self, threshold: float, limit: float) -> Int[np.ndarray, " k"]:
        """Solve for `delta` wherever cliques changed, or what they depend on did by more than a threshold.

        Return the unknowns of factors that are not linear, which changed and are beyond a limit.
        """
        return self._far[: self._functions["solve_all_unknowns"](*self._solving, threshold, limit)].copy()

    def solve_for(self, unknowns: Int[np.ndarray, " n"], threshold: float, limit: float) -> Int[np.ndarray, " k"]:
        """Solve for some unknowns, and what they depend on, alone; else as `solve`."""
        wanted = (unknowns.ctypes.data, len(unknowns))
        return self._far[: self._functions["solve_some_unknowns"](*self._solving, *wanted, threshold, limit)].copy()

    def _make_room(self) -> None:
        tables, work = self._tables, self._work
        if self._factors > len(tables.factors):
            tables.factors = _longer(tables.factors, 2 * self._factors)
            work.tops = np.zeros(2 * self._factors, dtype=np.int64)
            work.elements = new_table(Element, 2 * self._factors + 2 * self.count + 8)
        if self._incidences > len(tables.incidences):
            tables.incidences = _longer(tables.incidences, 2 * self._incidences)
        if self._used > tables.data.size:
            tables.data = _longer(tables.data, 2 * self._used)
        self._store_pointers()

    def _store_pointers(self) -> None:
        """Keep where arrays begin, which NumPy takes a microsecond each to tell."""
        tables = self._tables
        self._counting = tables.counters.ctypes.data
        self._numbers = tables.factors.ctypes.data, tables.data.ctypes.data
        self._incidence = (tables.unknowns.ctypes.data, tables.factors.ctypes.data, tables.incidences.ctypes.data)
        self._all = (*tables.addresses, *self._work.addresses)
        self._solving = (*tables.addresses, *self._solution.addresses, self._far.ctypes.data)


def _longer(array: Any, length: int) -> Any:
    grown = np.zeros(length, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


# The calls of a tree, few of them, as each costs microseconds; see `compiler.kernels`.


def plan_update(tree: TreeTables, work: Workspace, touched: Ints, count: int, capacity: int, late: int) -> int:
    """Find the affected cliques, an order, and new cliques; return how much memory is used, or -1."""
    mark_affected(tree, work, touched, count)
    used = gather_elements(tree, work, capacity)
    if used < 0:
        return -1
    if late == AS_NUMBERED:
        used = order_as_numbered(tree, work, used, capacity)
    else:
        used = order_unknowns(tree, work, used, capacity, late)
    if used < 0:
        return -1
    form_supernodes(tree, work, late)
    return used


def make_tree(tree: TreeTables, work: Workspace) -> None:
    """Make the cliques that were planned."""
    remove_cliques(tree, work)
    make_cliques(tree, work)
    assign_factors(tree, work)


def solve_all_unknowns(tree: TreeTables, solution: Solution, far: Ints, threshold: float, limit: float) -> int:
    """Solve for all unknowns; return how many are beyond a limit."""
    changed = substitute_all(tree, solution, threshold)
    return list_relinearised(tree, solution, changed, far, limit)


def solve_some_unknowns(
    tree: TreeTables, solution: Solution, far: Ints, wanted: Ints, n: int, threshold: float, limit: float
) -> int:
    """Solve for some unknowns; return how many are beyond a limit."""
    changed = substitute_some(tree, solution, wanted, n, threshold)
    return list_relinearised(tree, solution, changed, far, limit)


RENEWAL = (plan_update, make_tree, solve_all_unknowns, solve_some_unknowns)
