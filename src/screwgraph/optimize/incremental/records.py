"""Where numbers of unknowns, cliques, factors and their incidences stand: records of integers, one after the other.

Machine code reads the constants by name.
"""

from __future__ import annotations

VAR = 10
"""Integers of an unknown."""
DIM, OFFSET, CLIQUE, STAMP, LOCAL, HEAD, LATE, SEEN, WHERE, BENT = range(10)
"""Directions; the first of them; its clique, or -1; when its value changed; its number in an elimination; its first
incidence; whether it is eliminated late; marks; its place in a front; of how many factors
that are not linear it is."""

CLQ = 12
"""Integers of a clique; number 0 is the parent of all roots and has no unknowns."""
PARENT, CHILD, NEXT, PREV, FRONTALS, COUNT, BLOCK, F, M, SOLVED, MARK, KIND = range(12)
"""Links; how many unknowns are eliminated, and stand in it; its block of memory, directions; when it was solved."""

FAC = 6
"""Integers of a factor."""
FIRST, ARGUMENTS, DATA, SIZE, GATHERED, FOLLOWING = range(6)
"""Its first incidence, how many there are; where its numbers stand, directions; marks; the next one of a clique."""

INC = 4
"""Integers of an incidence of a factor and an unknown."""
OF, BY, AFTER, BEFORE = range(4)

LOC = 12
"""Integers of an unknown while it is eliminated."""
WHO, DEGREE, LATER, EARLIER, ELEMENTS, START, LENGTH, PLACE, TAG, GROUP = range(10)

ELE = 5
"""Integers of an element of the quotient graph: what stands together in a factor, an orphan or a front."""
BEGIN, WIDTH, ALIVE, WEIGHT, WEIGHED = range(5)

GRP = 9
"""Integers of a clique to be made."""
MAKER, UNKNOWNS, OWN, OWN_DIM, ALL_DIM, ABOVE, IDENTITY, FACTORS, IS_LATE = range(9)

(
    USED_CLIQUES,
    FREE_CLIQUE,
    USED_POOL,
    CLOCK,
    PASS,
    TAGS,
    AFFECTED,
    CHOSEN,
    ORPHANS,
    TOPS,
    GROUPS,
    NEED,
    BAD,
    MADE,
    FULL,
    LOST,
) = range(16)
"""Counters; the clock when all was solved for last; whether a direction is not finite."""
CLASSES = 16
"""The first of the heads of lists of free blocks."""
COUNTERS = 16 + 256
