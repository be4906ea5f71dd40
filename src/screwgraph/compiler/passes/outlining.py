"""Long programs are compiled in pieces: what one piece leaves to later ones lies in memory.

Compilers allocate registers and order instructions with work that grows faster than a function's length. Pieces of a
thousand instructions compile three to eight times as fast as one function of 28 000 or 88 000, and run 10 to 40 %
faster, since nobody tries to keep thousands of values in registers. Where operations repeat, a piece is a loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.passes.loop_rerolling import Repeat, find_repeats
from screwgraph.tape import LEAVES, Program

WHOLE = 12_000
"""A program of up to so many instructions stays in one piece: up to 9 000, both ways were equally fast."""
SHORT = 2_000
"""The same, of code that is quickly made: LLVM takes three times as long for twelve thousand in one piece."""
LENGTH = 1_000
"""Instructions of a piece; half or twice as many made no difference."""


@dataclass(frozen=True)
class Outlines:
    """The places of the instructions of each piece, and the place in memory of every value that another one needs.

    Of a value in a loop that another repetition needs, those of all repetitions have places, at equal distances. Where
    there are no loops, a value takes the place of one that no piece needs any more.
    """

    parts: Sequence[Sequence[int] | Repeat]
    slots: Mapping[int, int]

    @property
    def size(self) -> int:
        """How many places values have."""
        return max(self.slots.values(), default=-1) + 1

    @property
    def straight(self) -> list[Sequence[int]]:
        """Pieces that are no loops."""
        return [part for part in self.parts if not isinstance(part, Repeat)]

    @property
    def whole(self) -> bool:
        """Whether there is one piece only."""
        return len(self.parts) <= 1


def outline_program(
    program: Program, first: Sequence[int] = (), whole: int = WHOLE, length: int = LENGTH, *, loops: bool = False
) -> Outlines:
    """Return how a program is cut, but for the instructions at the places `first`, which somebody else does before.

    With `loops`, what repeats itself is a `Repeat`.
    """
    count, apart = len(program.instructions), set(first)
    rest = [i for i in range(count) if i not in apart]
    if count <= whole or len(rest) <= length:
        return Outlines([rest], {})
    stretches = find_repeats(program, rest) if loops else [rest]
    parts = list[Sequence[int] | Repeat]()
    for part in stretches:
        cut = [part] if isinstance(part, Repeat) else [part[k : k + length] for k in range(0, len(part), length)]
        parts += cut
    slots = _slots(program, parts)
    if loops:  # constants and inputs that are results, or operands where others are computed
        wanted = {o for o in program.outputs if isinstance(o, int)} | slots.keys()
        parts.insert(0, [i for i in rest if i in wanted and program.instructions[i][0] in LEAVES])
    return Outlines(parts, slots)


def find_uneven_values(program: Program, part: Repeat) -> list[int]:
    """Return values of a loop that are not as often results in each repetition."""
    times = Counter(o for o in program.outputs if isinstance(o, int))
    columns = ([row[k] for row in part.rows] for k in range(part.period))
    return [i for column in columns if len({times[i] for i in column}) > 1 for i in column if times[i]]


def _slots(program: Program, parts: Sequence[Sequence[int] | Repeat]) -> Mapping[int, int]:
    """Return the places of values that other pieces, or other repetitions, need."""
    code = program.instructions
    home = {i: n for n, part in enumerate(parts) if not isinstance(part, Repeat) for i in part}
    home |= {i: n for n, part in enumerate(parts) if isinstance(part, Repeat) for row in part.rows for i in row}
    needed: dict[int, None] = {}
    for n, part in enumerate(parts):
        if isinstance(part, Repeat):
            needed |= dict.fromkeys([*part.list_needed(program), *find_uneven_values(program, part)])
        else:
            operands = (o for i in part if code[i][0] not in LEAVES for o in code[i][1:])
            outside = (o for o in operands if home.get(o) != n and code[o][0] not in LEAVES)
            needed |= dict.fromkeys(outside)
    slots: dict[int, int] = {}
    for part in parts:
        if isinstance(part, Repeat):
            kept = [k for k in range(part.period) if any(row[k] in needed for row in part.rows)]
            for row in part.rows:
                slots |= {row[k]: len(slots) + n for n, k in enumerate(kept)}
    straight = [part for part in parts if not isinstance(part, Repeat)]
    if len(straight) == len(parts):
        return _share_slots(program, straight, needed, home)
    for i in needed:
        slots.setdefault(i, len(slots))
    return slots


def _share_slots(
    program: Program, parts: Sequence[Sequence[int]], needed: Iterable[int], home: Mapping[int, int]
) -> Mapping[int, int]:
    """Return places of values of pieces without loops, free again once the last piece that needs them is done."""
    code, last, slots, free, size = program.instructions, dict[int, int](), dict[int, int](), list[int](), 0
    for n, part in enumerate(parts):
        last |= {int(o): n for i in part if code[i][0] not in LEAVES for o in code[i][1:]}
    begun, ended = dict[int, list[int]](), dict[int, list[int]]()
    for i in needed:
        begun.setdefault(home.get(i, -1), []).append(i)
        ended.setdefault(last[i], []).append(i)
    for n in range(-1, len(parts)):
        free += [slots[i] for i in ended.get(n - 1, ())]
        for i in begun.get(n, ()):
            slots[i] = free.pop() if free else size
            size += slots[i] == size
    return slots
