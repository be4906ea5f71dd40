"""The lines of a listing: the motion that is known, what elimination made of the laws, then back-substitution."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.elimination.block import Block
from screwgraph.elimination.notation.matrix_products import (
    MatrixProduct,
    Sum,
    format_sum,
    multiply_sums,
    parse_products,
    transpose_symbol,
)
from screwgraph.graph import Factor, FactorGraph, Key, Role


@dataclass(frozen=True)
class Line:
    """`left = right`, and a note in words; lines of back-substitution are numbered, `part` is the heading."""

    left: str
    right: str
    note: str = ""
    number: int | None = None
    part: str = "back-substitution"


def write_lines(graph: FactorGraph, blocks: Sequence[Block], *, define: bool) -> list[Line]:
    """Return the twists that follow, definitions, as far as they can be written, and a numbered assignment a variable.

    A variable that one untouched factor gives is printed as that law, solved for it. Any other is a
    linear function of its parents: `K` and `k` stand for what elimination made of the named factors. Each block must
    have been eliminated as a whole where they are to be defined (`define`).
    """
    made, known = _definitions(graph, blocks) if define else ([], set())
    found = [Line(d.name, d.formula, d.note, part="elimination") for d in made]
    for number, block in enumerate(reversed(blocks), 1):
        left = graph.variables[block.key].label
        law = _printed_law(graph, block)
        right, note = (law, "") if law is not None else _linear_function(graph, block, left in known)
        found.append(Line(left, right, note, number))
    return [*_motion(graph, found), *found]


MOTION = (Role.TWIST, Role.FIELD)
"""Roles of what is known of a motion, whose laws listings print where the lines below need it."""


def _motion(graph: FactorGraph, lines: Sequence[Line]) -> list[Line]:
    """Return the laws of what follows from the knowns, and stands in the lines."""
    found: list[Line] = []
    for role in reversed(MOTION):
        of_role = [d for d in graph.derived if d.key.role is role and len(d.factor.arguments) > 1]
        for derived in reversed(of_role):
            label, solved = graph.variables[derived.key].label, derived.factor.template.solved
            (argument,) = [name for name, key in derived.factor.bindings() if key == derived.key][:1] or [""]
            text = solved[argument](_labels(graph, derived.factor)) if argument in solved else ""
            if text and any(_mentions(line.right, label) for line in (*found, *lines)):
                found.insert(0, Line(label, text, part="motion"))
    return found


def _mentions(formula: str, label: str) -> bool:
    return re.search(rf"{re.escape(label)}(?![\d,])", formula) is not None


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


# What elimination made of the laws, written out: articulated inertias, bias forces, pivots.

MOST_WORDS = 10
"""Products of a definition; longer ones are left out, and the listing names the laws that they come from."""


@dataclass(frozen=True)
class Definition:
    """A name, what it stands for, and what the field calls it; `is_aside` where only other definitions need it."""

    name: str
    formula: str
    note: str = ""
    is_aside: bool = False


@dataclass(frozen=True)
class LinearForm:
    """A linear function of unknowns: matrices by the unknowns' labels, and what is known."""

    __repr__ = one_line

    terms: Mapping[str, Sum]
    constant: Sum


@dataclass
class _Elimination:
    """Blocks as linear functions of later ones, and the names that they needed."""

    __repr__ = one_line

    keys: Mapping[str, Key]
    expressed: dict[str, LinearForm] = field(default_factory=dict)
    found: list[Definition] = field(default_factory=list)
    known: set[str] = field(default_factory=set)


def write_definitions(
    keys: Mapping[str, Key], blocks: Sequence[Block], laws: Mapping[str, MatrixLaw | None]
) -> tuple[list[Definition], set[str]]:
    """Eliminate once more, block by block, in matrices that have names.

    `keys` are all unknowns by label, `laws` the law that gave each block, if one gave it as a whole. Returns
    definitions in the order in which they are computed, and the labels of all blocks whose matrices are defined.
    """
    labels = {key: label for label, key in keys.items()}
    state = _Elimination(keys)
    for block in blocks:
        label, law = labels[block.key], laws[labels[block.key]]
        parents = [labels[parent] for parent in block.parents]
        equation = None if law is None else _reduce_law(law, state)
        if equation is None or not set(parents) <= equation.terms.keys() or label not in equation.terms:
            state.expressed[label] = _name_linear_form(label, parents)
        elif law is not None and law.is_original and law.label == label:
            state.expressed[label] = _as_law(label, equation, state)
            state.known.add(label)
        else:
            _solve(label, parents, equation, state)
    return _select_needed(state.found), state.known


def _select_needed(found: Sequence[Definition]) -> list[Definition]:
    """Leave out what was named for other definitions, and no other needs."""
    kept: list[Definition] = []
    for definition in reversed(found):
        if not definition.is_aside or any(definition.name in other.formula for other in kept):
            kept.insert(0, definition)
    return kept


def _reduce_law(law: MatrixLaw, state: _Elimination) -> LinearForm | None:
    """Put what is eliminated into a law that must vanish; None where that gets too long."""
    terms: dict[str, Sum] = {name: words for name, words in law.terms.items() if name in state.keys}
    constant = law.constant
    for label, linear in state.expressed.items():
        if label in terms:
            factor = terms.pop(label)
            for parent, words in linear.terms.items():
                terms[parent] = (*terms.get(parent, ()), *multiply_sums(factor, words))
            constant = (*constant, *multiply_sums(factor, linear.constant))
    longest = max([len(constant), *(len(words) for words in terms.values())])
    return None if longest > MOST_WORDS else LinearForm(terms, constant)


def _name_linear_form(label: str, parents: Sequence[str]) -> LinearForm:
    return LinearForm({p: (MatrixProduct((f"K({label},{p})",)),) for p in parents}, (MatrixProduct((f"k({label})",)),))


def _as_law(label: str, equation: LinearForm, state: _Elimination) -> LinearForm:
    """Keep the matrices of a law as they are printed; of several known terms, call the sum by a name."""
    terms = {name: words for name, words in equation.terms.items() if name != label}
    if len(equation.constant) < 2:
        return LinearForm(terms, equation.constant)
    name = f"k({label})"
    state.found.append(Definition(name, format_sum(equation.constant), _note(label, None, (), state), is_aside=True))
    return LinearForm(terms, (MatrixProduct((name,)),))


def _solve(label: str, parents: Sequence[str], equation: LinearForm, state: _Elimination) -> None:
    """Solve an equation for a block; what multiplies it gets a name, unless it is one."""
    pivot = equation.terms[label]
    if [word.symbols for word in pivot] == [()]:
        inverse: Sum = (MatrixProduct((), -pivot[0].sign),)
    else:
        name = f"D({label})"
        state.found.append(Definition(name, format_sum(pivot), _note(label, label, pivot, state)))
        inverse = (MatrixProduct((f"{name}⁻¹",), -1),)
    for parent in parents:
        words = multiply_sums(inverse, equation.terms[parent])
        state.found.append(Definition(f"K({label},{parent})", format_sum(words), _note(label, parent, words, state)))
    constant = multiply_sums(inverse, equation.constant)
    state.found.append(Definition(f"k({label})", format_sum(constant), _note(label, None, (), state)))
    state.expressed[label] = _name_linear_form(label, parents)
    state.known.add(label)


def _note(label: str, by: str | None, words: Sum, state: _Elimination) -> str:
    """Return what the field calls the matrix of a wrench by its own link's acceleration, or of a joint by itself."""
    key = state.keys[label]
    if key.role is Role.COORDINATE_ACCELERATION:
        return "inertia along the joint's axes" if by == label else ""
    if key.role is not Role.WRENCH:
        return ""
    if by is None:
        return "bias force"
    if key.dual != state.keys[by] or len(words) < 2:
        return ""
    joints = (other for other, k in state.keys.items() if k.role is Role.COORDINATE_ACCELERATION)
    names = {f"K({other},{by})" for other in joints}
    return "articulated inertia" if any(names & set(word.symbols) for word in words) else "composite inertia"


# A printed law as an equation whose matrices have names.


@dataclass(frozen=True)
class MatrixLaw:
    """An equation that must vanish: matrices by the labels of its unknowns, and what is known.

    It is solved for `label`; `is_original` says whether nothing was put into it yet.
    """

    __repr__ = one_line

    label: str
    terms: Mapping[str, Sum]
    constant: Sum
    is_original: bool


def parse_law(label: str, text: str, unknowns: Collection[str], is_original: bool) -> MatrixLaw | None:
    """Read `label = text`; None where the text is no sum of products that end with the unknowns."""
    terms: dict[str, Sum] = {}
    known: Sum = ()
    for word in (*parse_products(text), MatrixProduct((label,), -1)):
        matrices, vector = _split(word)
        if vector in unknowns:
            terms[vector] = (*terms.get(vector, ()), matrices)
        else:
            known = (*known, matrices * MatrixProduct((vector,)))
    return MatrixLaw(label, terms, known, is_original) if terms.keys() == set(unknowns) else None


def _split(word: MatrixProduct) -> tuple[MatrixProduct, str]:
    """Return matrices and the vector that they act on; `Fᵀ A` is `Aᵀ F`."""
    if len(word.symbols) == 2 and word.symbols[0].endswith("ᵀ") and not word.symbols[0].startswith("["):
        vector, matrix = word.symbols
        return MatrixProduct((transpose_symbol(matrix),), word.sign), transpose_symbol(vector)
    return MatrixProduct(word.symbols[:-1], word.sign), word.symbols[-1] if word.symbols else ""
