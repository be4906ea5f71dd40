"""Exact derivatives of values on a tape, written on the same tape by sweeps over its operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.tape.dependencies import values_needed
from screwgraph.tape.operations import OPERATIONS
from screwgraph.tape.scalar import Number, Scalar
from screwgraph.tape.sparse_rows import Row, add_entry
from screwgraph.tape.tape import Tape


def jacobian(outputs: Sequence[Number], inputs: Sequence[Number], seeds: Sequence[Row] | None = None) -> list[Row]:
    """Return the derivatives of outputs by inputs, one sparse row an output.

    Forward or reverse sweeps, whichever multiply less. Griewank & Walther (2008), chapters 3 and 7.

    Args:
        outputs: floats, or scalars of one tape.
        inputs: any values on that tape, usually inputs; floats do not vary.
        seeds: derivatives of the inputs by directions, a row each; by default, each input is its own direction.
    """
    seeds = [{i: 1.0} for i in range(len(inputs))] if seeds is None else seeds
    seeded = {x.id: seed for x, seed in zip(inputs, seeds, strict=True) if isinstance(x, Scalar) and seed}
    found = [y for y in outputs if isinstance(y, Scalar)]
    if not found or not seeded:
        return [{} for _ in outputs]
    graph = _graph(found[0].tape, found, seeded.keys())
    columns = {i: sum(1 << j for j in seed) for i, seed in seeded.items()}
    if graph.forward_work(columns) <= graph.reverse_work(columns):
        tangents = _forward(graph, seeded)
        return [dict(tangents.get(y.id, {})) if isinstance(y, Scalar) else {} for y in outputs]
    return _reverse(graph, outputs, seeded)


def gradient(output: Number, inputs: Sequence[Number]) -> list[Number]:
    """Return the derivatives of one output by all inputs."""
    (row,) = jacobian([output], inputs)
    return [row.get(i, 0.0) for i in range(len(inputs))]


def hessian(output: Number, inputs: Sequence[Number]) -> list[Row]:
    """Return the lower triangle of the second derivatives of one output, one sparse row an input."""
    rows = jacobian(gradient(output, inputs), inputs)
    return [{j: entry for j, entry in row.items() if j <= i} for i, row in enumerate(rows)]


@dataclass(frozen=True, eq=False)
class _Graph:
    """The nodes, in order, through which outputs depend on inputs, and each one's edges (operand, partial derivative).

    `reached` are the outputs that a node leads to, as bits.
    """

    tape: Tape
    edges: dict[int, list[tuple[int, Number]]]
    reached: Mapping[int, int]

    def forward_work(self, columns: Mapping[int, int]) -> int:
        """Return the operations of a forward sweep."""
        known, work = dict(columns), 0
        for node, edges in self.edges.items():
            if node not in known:
                known[node], work = _join_terms([(known[i], p) for i, p in edges], work)
        return work

    def reverse_work(self, columns: Mapping[int, int]) -> int:
        """Return the operations of a reverse sweep, and of multiplying its result with the seeds."""
        work = 0
        for node, edges in self.edges.items():
            adjoints = self.reached[node].bit_count()
            work += sum(adjoints for i, p in edges if isinstance(p, Scalar))
            work += adjoints * (len(edges) - 1) if node not in columns else 0
        seeded = ((self.reached[i].bit_count(), bits.bit_count()) for i, bits in columns.items() if i in self.reached)
        return work + sum(count * (directions - 1) for count, directions in seeded)


def _join_terms(terms: Iterable[tuple[int, Number]], work: int) -> tuple[int, int]:
    bits, count = 0, 0
    for term, partial in terms:
        count += term.bit_count()
        bits |= term
        work += term.bit_count() if isinstance(partial, Scalar) else 0
    return bits, work + count - bits.bit_count()


def _graph(tape: Tape, outputs: Sequence[Scalar], inputs: Iterable[int]) -> _Graph:
    """Find what lies between inputs and outputs, and write the partial derivatives there."""
    inputs = set(inputs)
    edges: dict[int, list[tuple[int, Number]]] = {}
    for i in values_needed(tape.nodes, (y.id for y in outputs), inputs):
        if i in inputs:
            edges[i] = []
            continue
        operation, *operands = tape.nodes[i]
        if operation in OPERATIONS and any(o in edges for o in operands):
            found = _partials(tape, i, operation, operands, edges)
            if found:
                edges[i] = found
    reached: dict[int, int] = {}
    for number, y in enumerate(outputs):
        reached[y.id] = reached.get(y.id, 0) | 1 << number
    for i in sorted(edges, reverse=True):
        for operand, _ in edges[i] if i in reached else ():
            reached[operand] = reached.get(operand, 0) | reached[i]
    return _Graph(tape, {i: found for i, found in edges.items() if i in reached}, reached)


def _partials(
    tape: Tape, node: int, operation: str, operands: Sequence[int], varying: Mapping[int, Any]
) -> list[tuple[int, Number]]:
    if operation == "mul":
        for inverse, other in ((operands[0], operands[1]), (operands[1], operands[0])):
            if tape.nodes[inverse][0] == "inv" and inverse in varying:
                operation, operands = "div", (other, tape.nodes[inverse][1])
                break
    values = [_value(tape, i) for i in (node, *operands)]
    rules = zip(operands, OPERATIONS[operation].partials, strict=True)
    found: Row = {}
    for operand, rule in rules:
        if rule is not None and operand in varying:
            add_entry(found, operand, rule(*values))
    return list(found.items())


def _value(tape: Tape, id: int) -> Number:
    node = tape.nodes[id]
    return node[1] if node[0] == "constant" else tape.at(id)


def _forward(graph: _Graph, seeded: Mapping[int, Row]) -> dict[int, Row]:
    tangents: dict[int, Row] = {i: dict(seed) for i, seed in seeded.items()}
    for node, edges in graph.edges.items():
        if node not in tangents:
            total: Row = {}
            for operand, partial in edges:
                for j, t in tangents[operand].items():
                    add_entry(total, j, t * partial)
            tangents[node] = total
    return tangents


def _reverse(graph: _Graph, outputs: Sequence[Number], seeded: Mapping[int, Row]) -> list[Row]:
    adjoints: dict[int, Row] = {}
    for number, y in enumerate(outputs):
        if isinstance(y, Scalar):
            adjoints.setdefault(y.id, {})[number] = 1.0
    for node in reversed(graph.edges):
        own = adjoints.get(node, {})
        for operand, partial in graph.edges[node]:
            into = adjoints.setdefault(operand, {})
            for number, a in own.items():
                add_entry(into, number, a * partial)
    rows: list[Row] = [{} for _ in outputs]
    for i, seed in seeded.items():
        for number, a in adjoints.get(i, {}).items():
            for j, s in seed.items():
                add_entry(rows[number], j, a * s)
    return rows
