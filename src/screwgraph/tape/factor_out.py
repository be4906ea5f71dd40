"""Common factors of sums: a x + a y becomes a (x + y).

Elimination adds product after product; what many of them share is multiplied once. The shorter sums, in turn, are
often wanted more than once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from screwgraph.tape.dependencies import LEAVES, values_needed
from screwgraph.tape.program import Program

Term = tuple[int, int]
"""Sign (1 or -1), and the place of a value among the new instructions."""
Product = tuple[int, int, int]
"""Sign, and the places of two factors."""


def factor_out(program: Program) -> Program:
    """Return a program of the same values, up to rounding, with common factors of sums taken out."""
    old = program.instructions
    uses = _uses(program)
    inner = _inner_sums(old, uses)
    new = _Writer()
    place: dict[int, int] = {}
    for i, (operation, *operands) in enumerate(old):
        if operation in LEAVES:
            place[i] = new.write((operation, *operands))
        elif operation not in ("add", "sub"):
            if not (operation == "mul" and uses[i] == 1 and i in inner):
                place[i] = new.write((operation, *(place[o] for o in operands)))
        elif i not in inner:
            place[i] = _write_sum(new, *_terms(old, i, inner, place))
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return _without_dead_code(Program(program.input_names, tuple(new.instructions), outputs))


class _Writer:
    """Instructions under construction; equal ones are written once."""

    def __init__(self) -> None:
        self.instructions: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def write(self, instruction: tuple[Any, ...]) -> int:
        if instruction[0] in ("add", "mul"):
            instruction = (instruction[0], *sorted(instruction[1:]))
        if instruction not in self._known:
            self._known[instruction] = len(self.instructions)
            self.instructions.append(instruction)
        return self._known[instruction]


def _uses(program: Program) -> Counter[int]:
    uses = Counter(o for operation, *operands in program.instructions if operation not in LEAVES for o in operands)
    uses.update(o for o in program.outputs if isinstance(o, int))
    return uses


def _inner_sums(old: Sequence[tuple[Any, ...]], uses: Counter[int]) -> set[int]:
    """Return the sums and products that only serve one sum: they dissolve in it."""
    inner = set()
    for operation, *operands in old:
        if operation in ("add", "sub"):
            inner.update(o for o in operands if uses[o] == 1 and old[o][0] in ("add", "sub", "mul"))
    return inner


def _terms(
    old: Sequence[tuple[Any, ...]], root: int, inner: set[int], place: dict[int, int]
) -> tuple[list[Term], list[Product]]:
    """Return what a sum adds: plain values, and products that nothing else uses."""
    terms: list[Term] = []
    products: list[Product] = []
    stack = [(1, root)]
    while stack:
        sign, i = stack.pop()
        operation, *operands = old[i]
        if i != root and i not in inner:
            terms.append((sign, place[i]))
        elif operation == "mul":
            products.append((sign, place[operands[0]], place[operands[1]]))
        else:
            stack += [(sign if operation == "add" else -sign, operands[1]), (sign, operands[0])]
    return terms, products


def _write_sum(new: _Writer, terms: list[Term], products: list[Product]) -> int:
    """Write a sum, factor by factor: the one that most products share goes first."""
    while products:
        shared = Counter(f for _, a, b in products for f in {a, b})
        factor, count = min(shared.items(), key=lambda item: (-item[1], item[0]))
        if count < 2:
            break
        having = [p for p in products if factor in p[1:]]
        products = [p for p in products if factor not in p[1:]]
        others = [(sign, b if a == factor else a) for sign, a, b in having]
        sign = others[0][0]
        bracket = _write_sum(new, [(s * sign, other) for s, other in others], [])
        products.append((sign, factor, bracket))
    terms = [*terms, *((sign, new.write(("mul", a, b))) for sign, a, b in products)]
    terms.sort(key=lambda term: -term[0])
    sign, total = terms[0]
    for s, value in terms[1:]:
        total = new.write(("add" if s == sign else "sub", total, value))
    return total if sign > 0 else new.write(("neg", total))


def _without_dead_code(program: Program) -> Program:
    """Drop what no output needs: leaves whose only products went into brackets, for instance."""
    kept = values_needed(program.instructions, (o for o in program.outputs if isinstance(o, int)))
    number = {i: n for n, i in enumerate(kept)}
    instructions = [program.instructions[i] for i in kept]
    moved = [i if i[0] in LEAVES else (i[0], *(number[o] for o in i[1:])) for i in instructions]
    outputs = tuple(number[o] if isinstance(o, int) else o for o in program.outputs)
    return Program(program.input_names, tuple(moved), outputs)
