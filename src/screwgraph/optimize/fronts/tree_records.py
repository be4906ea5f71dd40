"""Records of a Bayes tree: unknowns, cliques, factors, and what an elimination needs of them.

Rows name one another by their numbers; -1 is none. Lists are linked: a row names the next one, and the one before it
where rows are taken out of the middle. Marks compare with `Counters.mark`, which counts passes, so that none has to be
cleared. The block of a clique in the pool is its unknowns' numbers, then its front: the frontal columns first.
"""

from __future__ import annotations

from screwgraph.compiler.kernels import Bundle, Ints, Reals, Record, Table, entries

SIZE_CLASSES = 256
"""Classes of sizes of blocks; see `supernodes.size_class_of`."""
AS_NUMBERED = -1
"""Instead of the number of a call of `set_late`: unknowns are eliminated in the order of their numbers."""
FROM_ENDS = -2
"""The same: by degrees, chains from their ends to their middle, which takes the fewest operations."""


class Unknown(Record):
    """An unknown of the whole problem."""

    dim: int
    """Its directions."""
    offset: int
    """The first of them among those of all unknowns."""
    clique: int
    """The clique in which it is frontal."""
    changed: int
    """The clock when its value changed last."""
    active: int
    """Its row among those that are eliminated anew."""
    incidence: int
    """The first of its incidences."""
    late: int
    """The number of the call of `set_late` that named it."""
    mark: int
    place: int
    """Its first row in the front at hand."""
    nonlinear: int
    """How many factors on it are not linear."""


class Clique(Record):
    """A clique: frontal unknowns, given its separator. Number 0 is the parent of all roots and has no unknowns."""

    parent: int
    child: int
    next: int
    previous: int
    """Cliques of one parent are a list."""
    frontals: int
    """How many of its unknowns are eliminated here."""
    unknowns: int
    """How many there are with those of the separator."""
    block: int
    """Where its block begins in the pool."""
    own_dim: int
    """Directions of frontal unknowns."""
    dim: int
    """Directions of all."""
    solved: int
    """The clock when it was solved last; 0 for new ones."""
    mark: int
    size_class: int


class Factor(Record):
    """A factor, given as J'J and J'r."""

    incidence: int
    """The first of its incidences, which stand one after the other."""
    arity: int
    numbers: int
    """Where they begin in `data`."""
    dim: int
    mark: int
    next: int
    """The next factor of the supernode that it goes to."""


class Incidence(Record):
    """An unknown of a factor; those of one unknown are a list."""

    unknown: int
    factor: int
    next: int
    previous: int


class ActiveUnknown(Record):
    """An unknown while it is eliminated anew."""

    unknown: int
    degree: int
    next: int
    previous: int
    """Unknowns of one degree are a queue; -2 stands for unknowns that are in none."""
    link: int
    """The first of the links to elements that have it."""
    start: int
    length: int
    """Where its front's other unknowns stand among members."""
    place: int
    """Its place in the ordering."""
    tag: int
    supernode: int
    weight: int
    """How much it counts for in degrees."""


class Element(Record):
    """An element of the quotient graph: unknowns that share a factor, an orphan or a front."""

    start: int
    length: int
    """Where its unknowns stand among members."""
    weight: int
    """The sum of its unknowns' weights."""
    alive: int
    outside: int
    """The same of those that the front at hand does not have: |L_e minus L_p| of Amestoy et al. (1996)."""
    tag: int
    """The front for which `outside` was counted."""


class Link(Record):
    """An element of an unknown, and the next link."""

    element: int
    next: int


class Queue(Record):
    """Unknowns of one degree."""

    first: int
    last: int


class Supernode(Record):
    """A clique to be made."""

    first: int
    """The unknown of its own that is eliminated last."""
    unknowns: int
    frontals: int
    own_dim: int
    dim: int
    parent: int
    clique: int
    factor: int
    """The first of the factors that go to it."""
    late: int


class Counters(Record):
    """Numbers of a whole tree; those from `affected` on are of the elimination at hand."""

    used_cliques: int
    free_clique: int
    """The first of the cliques whose rows are free."""
    used_pool: int
    clock: int
    mark: int
    affected: int
    """How many cliques are unmade."""
    active: int
    orphans: int
    factors: int
    supernodes: int
    need: int
    """Elements so far; then how much of the pool is needed."""
    bad: int
    """The unknown that is not determined."""
    bad_direction: int
    """Which of the directions of all unknowns it is."""
    made: int
    full: int
    """The clock when all was solved for last."""
    lost: int
    """Whether a direction is not finite."""
    free_blocks: Ints = entries(SIZE_CLASSES)
    """The first free block of each class of sizes; the first number of a free block names the next one."""


class TreeTables(Bundle):
    """A Bayes tree and its factors."""

    unknowns: Table[Unknown]
    cliques: Table[Clique]
    factors: Table[Factor]
    incidences: Table[Incidence]
    counters: Counters
    pool: Reals
    """Blocks of cliques."""
    data: Reals
    """Of each factor, columns of J'J, its lower triangle, each with the entry of J'r below."""


class Workspace(Bundle):
    """Workspace of an elimination."""

    active: Table[ActiveUnknown]
    elements: Table[Element]
    members: Ints
    """Active unknowns of elements and fronts, one list after the other."""
    links: Table[Link]
    queues: Table[Queue]
    supernodes: Table[Supernode]
    affected_cliques: Ints
    orphans: Ints
    """Cliques below those that are unmade."""
    tops: Ints
    """Factors whose unknowns are all active."""
    order: Ints


class Solution(Bundle):
    """Workspace of back substitution."""

    delta: Reals
    """Directions of all unknowns."""
    x: Reals
    """Directions of the clique at hand."""
    stack: Ints
    found: Ints
    """Cliques that changed."""
