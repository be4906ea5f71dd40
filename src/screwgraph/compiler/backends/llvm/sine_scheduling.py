"""Which instructions come before which sines: angles of inputs first, then angles that need these sines, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from screwgraph.tape import LEAVES, Program, values_needed

SINES = ("sin", "cos")


def schedule_sines(program: Program) -> Iterator[Sequence[int]]:
    """Yield the places of the instructions, stage by stage.

    Each stage but the last holds angles, what they need, and their sines and cosines; the last one holds the rest.
    """
    sines = [i for i, instruction in enumerate(program.instructions) if instruction[0] in SINES]
    levels = _levels(program, sines[-1] if sines else -1)
    done: set[int] = set()
    for level in sorted({levels[i] for i in sines}):
        needed = values_needed(program.instructions, (i for i in sines if levels[i] == level))
        yield [i for i in needed if i not in done]
        done.update(needed)
    yield [i for i in range(len(program.instructions)) if i not in done]


def _levels(program: Program, last: int) -> list[int]:
    """Return how many sines stand one in the other in each value, up to the last sine's."""
    levels: list[int] = []
    for operation, *operands in program.instructions[: last + 1]:
        below = 0 if operation in LEAVES else max([levels[o] for o in operands])
        levels.append(below + (operation in SINES))
    return levels
