"""Values with some inputs replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.tape.dependencies import values_needed
from screwgraph.tape.operations import OPERATIONS
from screwgraph.tape.scalar import Number, Scalar, apply


def substitute_scalars(values: Sequence[Number], replaced: Mapping[Scalar, Number]) -> list[Number]:
    """Return values with scalars replaced by others, or by floats, which are folded.

    What replaces them may be on another tape, if nothing else varies.
    """
    found = {x.id: value for x, value in replaced.items()}
    tapes = [v.tape for v in values if isinstance(v, Scalar)]
    if not tapes or not found:
        return list(values)
    tape = tapes[0]
    for i in values_needed(tape.nodes, _ids(values), known := set(found)):
        if i in known:
            continue
        operation, *operands = tape.nodes[i]
        changed = operation in OPERATIONS and any(found[o] is not tape.at(o) for o in operands)
        given = [tape.nodes[o][1] if tape.nodes[o][0] == "constant" else found[o] for o in operands if changed]
        found[i] = apply(operation, *given) if changed else tape.at(i)
    return [found[v.id] if isinstance(v, Scalar) else v for v in values]


def depends_on(values: Sequence[Number], inputs: Sequence[Scalar]) -> bool:
    """Whether any value is computed from any of these scalars."""
    tapes, sought = [v.tape for v in values if isinstance(v, Scalar)], {x.id for x in inputs}
    return bool(tapes) and not sought.isdisjoint(values_needed(tapes[0].nodes, _ids(values)))


def _ids(values: Sequence[Number]) -> list[int]:
    return [v.id for v in values if isinstance(v, Scalar)]
