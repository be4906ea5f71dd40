"""The cost model: what straight-line code costs on a machine with wide vectors."""

from __future__ import annotations

from screwgraph.tape import LEAVES, Program

DIVISION = 10.0
SINCOS = 12.0
"""Costs beside one addition or multiplication: fitted to measured batches; one sine and cosine go together."""


def cost(program: Program) -> float:
    """Return the work of a program, in additions.

    Additions, subtractions and multiplications count the same: fusing them saves what keeping intermediate results
    outside of registers costs, so that a model with fusion fits no better. `make bench` prints how well this ranks
    measured times.
    """
    return sum(instruction_costs(program))


def instruction_costs(program: Program) -> list[float]:
    """Return what each instruction costs; of the sine and the cosine of an angle, the first pays for both."""
    angles, found = set[int](), list[float]()
    for operation, *operands in program.instructions:
        if operation in ("sin", "cos"):
            found.append(0.0 if operands[0] in angles else SINCOS)
            angles.add(operands[0])
        elif operation in ("inv", "div"):
            found.append(DIVISION)
        else:
            found.append(0.0 if operation in LEAVES else 1.0)
    return found
