"""What elimination made of the laws, written out: articulated inertias, bias forces, pivots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from screwgraph.base.summary import one_line
from screwgraph.elimination.block import Block
from screwgraph.elimination.notation.matrix_laws import MatrixLaw
from screwgraph.elimination.notation.matrix_products import MatrixProduct, Sum, format_sum, multiply_sums
from screwgraph.graph import Key, Role

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
