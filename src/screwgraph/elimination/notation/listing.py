"""The lines of a listing: what elimination made of the laws, then back-substitution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.elimination.block import Block
from screwgraph.elimination.notation.definitions import Definition, write_definitions
from screwgraph.elimination.notation.matrix_laws import MatrixLaw, parse_law
from screwgraph.graph import Factor, FactorGraph, Key


@dataclass(frozen=True)
class Line:
    """`left = right`, and a note in words; lines of back-substitution are numbered."""

    left: str
    right: str
    note: str = ""
    number: int | None = None


def write_lines(graph: FactorGraph, blocks: Sequence[Block], *, define: bool) -> list[Line]:
    """Return definitions, as far as they can be written, and one numbered assignment a variable.

    A variable that one untouched factor gives is printed as that law, solved for it. Any other is a
    linear function of its parents: `K` and `k` stand for what elimination made of the named factors. Each block must
    have been eliminated as a whole where they are to be defined (`define`).
    """
    made, known = _definitions(graph, blocks) if define else ([], set())
    found = [Line(d.name, d.formula, d.note) for d in made]
    for number, block in enumerate(reversed(blocks), 1):
        left = graph.variables[block.key].label
        law = _printed_law(graph, block)
        right, note = (law, "") if law is not None else _linear_function(graph, block, left in known)
        found.append(Line(left, right, note, number))
    return found


def _definitions(graph: FactorGraph, blocks: Sequence[Block]) -> tuple[list[Definition], set[str]]:
    """Write out what elimination made of laws; nothing where two unknowns have one label."""
    keys = {variable.label: variable.key for variable in graph.unknowns}
    if len(keys) < len(graph.unknowns):
        return [], set()
    return write_definitions(keys, blocks, {graph.variables[b.key].label: _law(graph, b) for b in blocks})


def _only_factor(block: Block) -> Factor | None:
    """Return the factor all of whose equations gave a variable."""
    factors = {id(step.row.factor): step.row.factor for step in block.steps}
    (factor,) = factors.values() if len(factors) == 1 else (None,)
    is_whole = factor is not None and factor.rows == len(block.steps) and not any(step.shared for step in block.steps)
    return factor if is_whole else None


def _printed_law(graph: FactorGraph, block: Block) -> str | None:
    factor = _only_factor(block)
    if factor is None or not all(step.original for step in block.steps):
        return None
    argument = next((name for name, key in factor.bindings() if key == block.key), None)
    printer = factor.template.solved.get(argument or "")
    return None if printer is None else printer(_labels(graph, factor)) or None


def _law(graph: FactorGraph, block: Block) -> MatrixLaw | None:
    """Return the law that gave a block, as an equation of named matrices."""
    factor = _only_factor(block)
    if factor is None or len(factor.template.solved) != 1:
        return None
    ((argument, printer),) = factor.template.solved.items()
    solved = factor.arguments.get(argument)
    if not isinstance(solved, Key):
        return None
    unknowns = {graph.variables[key].label for key in graph.unknown_keys(factor)}
    original = all(step.original for step in block.steps)
    text = printer(_labels(graph, factor))
    return parse_law(graph.variables[solved].label, text, unknowns, original) if text else None


def _labels(graph: FactorGraph, factor: Factor) -> dict[str, Any]:
    variables = graph.variables
    first = variables[factor.keys[0]]
    labels: dict[str, Any] = {
        name: variables[a].label if isinstance(a, Key) else tuple(variables[k].label for k in a)
        for name, a in factor.arguments.items()
    }
    children = tuple(variables[key].index for name, key in factor.bindings() if name == "F_children")
    return labels | {"i": factor.index, "p": first.parent, "children": children}


def _linear_function(graph: FactorGraph, block: Block, is_defined: bool) -> tuple[str, str]:
    """Return a linear function of a block's parents, and where its matrices come from, unless they are defined."""
    left = graph.variables[block.key].label
    parents = [graph.variables[p].label for p in reversed(block.parents)]
    terms = [f"K({left},{p}) {p}" for p in parents] + [f"k({left})"]
    sources = dict.fromkeys(row.factor.name for step in block.steps for row in step.shared or (step.row,))
    how = "least squares of" if any(step.shared for step in block.steps) else "from"
    return " + ".join(terms), "" if is_defined else f"{how} {', '.join(sources)}"
