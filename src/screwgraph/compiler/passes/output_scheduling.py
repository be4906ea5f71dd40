"""Instructions in the order of the results that need them: batches store results one behind the other.

What the processor fetches ahead are neighbours in memory. Scattered over the results of a block of samples, stores wait
for each line: mass matrices of an A1 took 122 ns a sample in the order in which elimination writes them, 47 so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from screwgraph.tape import LEAVES, Program

MOST = 50
"""Instructions for each result up to which results matter: others run in their own order, up to 5 % faster."""


def schedule_by_output(program: Program) -> Program:
    """Return the program with its instructions in the order of its outputs; of few outputs, as it is."""
    if len(program.outputs) * MOST < len(program.instructions):
        return program
    place: dict[int, int] = {}
    made: list[tuple[Any, ...]] = []
    for output in program.outputs:
        waiting = [output] if isinstance(output, int) else []
        while waiting:
            i = waiting[-1]
            operation, *operands = program.instructions[i]
            missing = [] if operation in LEAVES else [o for o in operands if o not in place]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if i not in place:
                place[i] = len(made)
                moved = operands if operation in LEAVES else [place[o] for o in operands]
                made.append((operation, *moved))
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return replace(program, instructions=tuple(made), outputs=outputs)
