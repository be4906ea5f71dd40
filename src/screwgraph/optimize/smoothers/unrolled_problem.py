"""A whole small problem as one function: residuals, Jacobians, normal equations, solution, without any loop.

Beside Bayes trees (`optimize.fronts`), since calls outweigh arithmetic in small windows: an update of 3, 6 and 12
states of two tied pendulums takes 19, 23 and 25 us, and 590, 560 and 720 us by kernels and a tree
(`assembled_engine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler import CompiledProgram, compile_program
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.kernel_cache import KernelProgram, get_or_make_kernel
from screwgraph.optimize.manifold_code import number_names
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.whitening import INVERSE_SIGMA
from screwgraph.tape import Number, Program, Row, Tape, factor_out, program, reciprocal, without_unused_inputs

Unknown = tuple[str, int]
"""Family and number."""


@dataclass(frozen=True, eq=False)
class LinearisedFactor:
    """A factor's residual, its weight and cost, and the residual's derivatives by its unknowns' directions in turn."""

    residual: np.ndarray
    weight: Number
    cost: Number
    unknowns: tuple[Unknown, ...]
    jacobian: list[Row]


@dataclass(frozen=True, eq=False)
class ProblemExpressions:
    """Soft factors on a tape: unknowns and parameters are its inputs."""

    layout: ValueLayout
    factors: tuple[Factors, ...]

    @cached_property
    def tape(self) -> Tape:
        """Tape of the unrolled problem."""
        return Tape(merge="form")

    @cached_property
    def unknowns(self) -> dict[Unknown, np.ndarray]:
        """The inputs of each unknown."""
        families = self.layout.families
        return {
            (v.name, i): self.tape.inputs(f"{v.name} {i}", v.manifold.shape) for v in families for i in range(v.count)
        }

    @cached_property
    def parameters(self) -> list[tuple[str, str, bool, list[Any]]]:
        """(factors, parameter, whether each has its own, inputs: one array or scalar, or one a factor)."""
        found = []
        for f in self.factors:
            listed = [(n, False, array.shape, 1) for n, array in f.shared.items()]
            listed += [(n, True, array.shape[1:], len(array)) for n, array in f.each.items()]
            for name, own, shape, count in listed:
                inputs = [self.tape.inputs(f"{f.name}.{name}.{len(found)}.{k}", shape) for k in range(count)]
                found.append((f.name, name, own, inputs))
        return found

    def packed_parameters(self, factors: Sequence[Factors]) -> np.ndarray:
        """Return the numbers of all parameters in one vector, each row by row."""
        named = {f.name: f for f in factors}
        arrays = [(named[g].each if own else named[g].shared)[n].ravel() for g, n, own, _ in self.parameters]
        return np.concatenate([np.zeros(0), *arrays])

    @cached_property
    def parameter_places(self) -> dict[tuple[str, str], tuple[int, tuple[int, ...]]]:
        """Beginning, in that vector, of each parameter that every factor has its own of, and its shape."""
        places, start = {}, 0
        named = {f.name: f for f in self.factors}
        for group, name, own, inputs in self.parameters:
            if own:
                places[group, name] = (start, named[group].each[name].shape)
            start += sum(np.size(x) for x in inputs)
        return places

    def without_parameters(self) -> ProblemExpressions:
        """Return these expressions of the same unknowns, for what depends on no parameters."""
        other = ProblemExpressions(self.layout, ())
        other.__dict__.update(tape=self.tape, unknowns=self.unknowns)
        return other

    @cached_property
    def linearised_factors(self) -> list[LinearisedFactor]:
        """Every factor, linearised where the unknowns are."""
        return [self.linearise(f, k) for f in self.factors for k in range(len(f))]

    def linearise(self, f: Factors, k: int, *, white: bool = True) -> LinearisedFactor:
        """Return the k-th of some factors, linearised where the unknowns are, divided by its noise if `white`."""
        keys = unknowns_of(f, k)
        r, J = f.kernels.derivation.linearise(
            [self.unknowns[key] for key in keys], self._known_values(f, k), white=white
        )
        weight = 1.0 if f.loss is None else f.loss.weight(r @ r)
        return LinearisedFactor(r, weight, f.kernels.derivation.cost_of(r), keys, J)

    def variances(self, f: Factors, k: int) -> list[Number]:
        """Return the variance of each row of the k-th of some factors, whose noise is no matrix."""
        inverse = self._known_values(f, k).get(INVERSE_SIGMA, 1.0)
        return [reciprocal(x * x) for x in np.broadcast_to(np.asarray(inverse, dtype=object), (f.rows,)).tolist()]

    def _known_values(self, f: Factors, k: int) -> dict[str, Any]:
        """Return the parameters of the k-th of some factors."""
        return {n: x[k if o and len(x) > 1 else 0] for g, n, o, x in self.parameters if g == f.name}

    def arguments(self) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Return arguments x and p, if there are parameters, as `compiled` wants them."""
        manifolds = {v.name: v.manifold for v in self.layout.families}
        columns = [tuple(n for name, i in self.unknowns for n in number_names(f"{name} {i}", manifolds[name].shape))]
        columns.append(
            tuple(
                n
                for place, (group, name, _, inputs) in enumerate(self.parameters)
                for k, x in enumerate(inputs)
                for n in number_names(f"{group}.{name}.{place}.{k}", np.shape(x))
            )
        )
        return [((len(names),), names) for names in columns if names]


@dataclass(frozen=True, eq=False)
class UnrolledProblem:
    """Straight-line code of vectors: one result, all numbers in a row."""

    name: str
    code: Program
    arguments: Sequence[tuple[tuple[int, ...], tuple[str, ...]]]
    shapes: tuple[tuple[int, ...], ...]

    def compile(self) -> CompiledProgram:
        """Compile it for single states."""
        return compile_program(self.name, self.code, self.arguments, list(self.shapes), batches=False)

    def inline(self, *vectors: Sequence[Number]) -> list[Number]:
        """Write it once more, on the tape of the numbers in its arguments."""
        names = (names for _, names in self.arguments)
        given = {n: x for own, vector in zip(names, vectors, strict=True) for n, x in zip(own, vector, strict=True)}
        return self.code.on([given[name] for name in self.code.input_names])


def unknowns_of(f: Factors, k: int) -> tuple[Unknown, ...]:
    """Return the unknowns of the k-th of some factors."""
    return tuple((a.variables.name, int(a.indices[k if len(a) > 1 else 0])) for a in f.arguments)


def unroll_problem(
    name: str,
    question: object,
    expressions: ProblemExpressions,
    more: Sequence[tuple[str, tuple[int, ...]]],
    outputs: Callable[[], Sequence[Any]],
) -> UnrolledProblem:
    """Return the code of values of a problem's unknowns, parameters and `more` vectors of its tape.

    `question` is all that the values follow from; they are written where the cache has no answer to it.
    """

    def make() -> KernelProgram:
        values = [value for output in outputs() for value in np.ravel(np.asarray(output, dtype=object)).tolist()]
        return KernelProgram(factor_out(without_unused_inputs(program(expressions.tape, values))), ((len(values),),))

    arguments = [*expressions.arguments(), *((shape, number_names(extra, shape)) for extra, shape in more)]
    made = get_or_make_kernel((name, question), make)
    return UnrolledProblem(name, made.code, arguments, made.shapes)


def count_numbers(layout: ValueLayout) -> int:
    """Return how many numbers all values are."""
    return sum(v.count * prod(v.manifold.shape) for v in layout.families)
