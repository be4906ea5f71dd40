"""A whole small problem as one function: residuals, Jacobians, normal equations, solution, without any loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler import casadi_program, compiled
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.kernels import without_unused
from screwgraph.optimize.layout import Layout
from screwgraph.optimize.manifold_code import number_names, symbol
from screwgraph.tape import factor_out

Unknown = tuple[str, int]
"""Family and number."""


@dataclass(frozen=True, eq=False)
class Expressions:
    """CasADi expressions of soft factors: unknowns as symbols, and directions to move them along.

    `parameters` lists (name of factors, name of parameter, symbols), each an array (N or 1, *shape) or (*shape).
    """

    layout: Layout
    factors: tuple[Factors, ...]

    @cached_property
    def unknowns(self) -> dict[Unknown, Any]:
        """A symbol for each unknown."""
        return {(v.name, i): symbol(v.manifold, f"{v.name}{i}") for v in self.layout.families for i in range(v.count)}

    @cached_property
    def directions(self) -> dict[Unknown, Any]:
        """A symbol for the directions of each unknown."""
        import casadi as ca

        return {
            (v.name, i): ca.SX.sym(f"d{v.name}{i}", v.manifold.dim)
            for v in self.layout.families
            for i in range(v.count)
        }

    @cached_property
    def parameters(self) -> list[tuple[str, str, bool, list[Any]]]:
        """(factors, parameter, whether each has its own, symbols: one, or one a factor)."""
        import casadi as ca

        found = []
        for f in self.factors:
            for name, array in f.shared.items():
                found.append((f.name, name, False, [ca.SX.sym(name, *(*array.shape, 1, 1)[:2])]))
            for name, array in f.each.items():
                shape = (*array.shape[1:], 1, 1)[:2]
                found.append((f.name, name, True, [ca.SX.sym(name, *shape) for _ in range(len(array))]))
        return found

    def packed_parameters(self, factors: Sequence[Factors]) -> np.ndarray:
        """Return the numbers of all parameters in one vector, each row by row."""
        named = {f.name: f for f in factors}
        arrays = [(named[g].each if own else named[g].shared)[n].ravel() for g, n, own, _ in self.parameters]
        return np.concatenate([np.zeros(0), *arrays])

    @cached_property
    def parameter_places(self) -> dict[tuple[str, str], tuple[int, tuple[int, ...]]]:
        """Where each parameter that every factor has its own of begins in that vector, and its shape."""
        places, start = {}, 0
        named = {f.name: f for f in self.factors}
        for group, name, own, symbols in self.parameters:
            if own:
                places[group, name] = (start, named[group].each[name].shape)
            start += sum(s.numel() for s in symbols)
        return places

    def without_parameters(self) -> Expressions:
        """Return these expressions of the same unknowns, for what depends on no parameters."""
        other = Expressions(self.layout, ())
        other.__dict__["unknowns"] = self.unknowns
        return other

    def residuals(self) -> list[tuple[Any, Any, tuple[Unknown, ...]]]:
        """Return (whitened residual, weight, unknowns) of every factor, with unknowns moved along their directions."""
        import casadi as ca

        found = []
        for f in self.factors:
            own = {(n, o): s for g, n, o, s in self.parameters if g == f.name}
            for k in range(len(f)):
                parameters = {n: s[k if o and len(s) > 1 else 0] for (n, o), s in own.items()}
                keys = tuple((a.variables.name, int(a.indices[k if len(a) > 1 else 0])) for a in f.arguments)
                along = ca.vertcat(*(self.directions[key] for key in keys))
                r = f.kernels.sloping([self.unknowns[key] for key in keys], along, parameters, white=True)
                weight = ca.SX(1.0) if f.loss is None else f.loss.weight(ca.sumsqr(r))
                found.append((r, weight, keys))
        return found

    def at_zero(self, expression: Any) -> Any:
        """Return an expression where no unknown has moved."""
        import casadi as ca

        d = ca.vertcat(*self.directions.values())
        return ca.sparsify(ca.substitute(expression, d, ca.SX.zeros(d.numel())))

    def inputs(self) -> tuple[list[Any], tuple[str, ...], list[tuple[tuple[int, ...], tuple[str, ...]]]]:
        """Return all symbols, their numbers' names, and arguments x and p as `compiled` wants them."""
        symbols, columns, rows = [], [], []
        for (name, i), s in self.unknowns.items():
            across, down = number_names(
                f"{name}{i}", next(v for v in self.layout.families if v.name == name).manifold.shape
            )
            symbols.append(s)
            columns += down
            rows += across
        flat = []
        for place, (group, name, _, listed) in enumerate(self.parameters):
            for k, s in enumerate(listed):
                across, down = number_names(f"{group}.{name}.{place}.{k}", tuple(s.shape))
                symbols.append(s)
                columns += down
                flat += across
        arguments: list[tuple[tuple[int, ...], tuple[str, ...]]] = [((len(rows),), tuple(rows))]
        if flat:
            arguments.append(((len(flat),), tuple(flat)))
        return symbols, tuple(columns), arguments


def unrolled(
    name: str,
    expressions: Expressions,
    more: Sequence[tuple[str, Any]],
    outputs: Sequence[Any],
) -> Any:
    """Compile expressions of a problem's unknowns, parameters and `more` columns: one result, all outputs in a row."""
    import casadi as ca

    symbols, columns, arguments = expressions.inputs()
    for extra, s in more:
        names, _ = number_names(extra, (s.numel(),))
        symbols, columns = [*symbols, s], (*columns, *names)
        arguments.append(((s.numel(),), names))
    result = ca.densify(ca.vertcat(*(ca.vec(ca.densify(o.T)) for o in outputs)))
    program = factor_out(without_unused(casadi_program(ca.Function(name, symbols, [result]), columns)))
    return compiled(name, program, arguments, [(result.numel(),)], batches=False)


def numbers(layout: Layout) -> int:
    """Return how many numbers all values are."""
    return sum(v.count * prod(v.manifold.shape) for v in layout.families)
