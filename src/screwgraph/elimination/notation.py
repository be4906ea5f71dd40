"""An elimination DAG as numbered assignments in the papers' notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.elimination.block import Block
from screwgraph.graph import Factor, FactorGraph, Key


def algorithm(graph: FactorGraph, blocks: Sequence[Block]) -> str:
    """Print back-substitution, one numbered assignment a variable.

    A variable that one untouched factor gives is printed as that law, solved for it. Any other is a
    linear function of its parents: `K` and `k` stand for what elimination made of the named factors.
    """
    lines = []
    for number, block in enumerate(reversed(blocks), 1):
        left = graph.variables[block.key].label
        lines.append(f"{number:>3} {left} = {_law(graph, block) or _linear_function(graph, block)} ;")
    return "\n".join(lines)


def _law(graph: FactorGraph, block: Block) -> str | None:
    factors = {id(step.row.factor): step.row.factor for step in block.steps}
    if len(factors) != 1 or not all(step.original for step in block.steps):
        return None
    (factor,) = factors.values()
    argument = next((name for name, key in factor.bindings() if key == block.key), None)
    printer = factor.template.solved.get(argument or "")
    if printer is None or factor.rows != len(block.steps):
        return None
    return printer(_labels(graph, factor))


def _labels(graph: FactorGraph, factor: Factor) -> dict[str, Any]:
    variables = graph.variables
    first = variables[factor.keys[0]]
    labels: dict[str, Any] = {
        name: variables[a].label if isinstance(a, Key) else tuple(variables[k].label for k in a)
        for name, a in factor.arguments.items()
    }
    children = tuple(variables[key].index for name, key in factor.bindings() if name == "F_children")
    return labels | {"i": factor.index, "p": first.parent, "children": children}


def _linear_function(graph: FactorGraph, block: Block) -> str:
    left = graph.variables[block.key].label
    parents = [graph.variables[p].label for p in reversed(block.parents)]
    terms = [f"K({left},{p}) {p}" for p in parents] + [f"k({left})"]
    sources = dict.fromkeys(row.factor.name for step in block.steps for row in step.shared or (step.row,))
    how = "least squares of" if any(step.shared for step in block.steps) else "from"
    return " + ".join(terms) + f"   {how} {', '.join(sources)}"
