"""The cost model: what straight-line code costs on a machine with wide vectors."""

from __future__ import annotations

from screwgraph.tape import Program

DIVISION = 10.0
SINCOS = 12.0
"""Costs beside one addition or multiplication: fitted to measured batches; one sine and cosine go together."""


def cost(program: Program) -> float:
    """Return the work of a program, in additions.

    Additions, subtractions and multiplications count the same: fusing them saves what keeping intermediate results
    outside of registers costs, so that a model with fusion fits no better. `make bench` prints how well this ranks
    measured times.
    """
    angles, total = set(), 0.0
    for operation, *operands in program.instructions:
        if operation in ("sin", "cos"):
            angles.add(operands[0])
        elif operation in ("inv", "div"):
            total += DIVISION
        elif operation not in ("constant", "input"):
            total += 1.0
    return total + SINCOS * len(angles)
