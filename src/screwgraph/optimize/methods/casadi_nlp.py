"""A problem as CasADi's nonlinear programs have it, and solvers that come with CasADi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import casadi_function, casadi_module
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.batch import Batch
from screwgraph.optimize.manifold_code import number_names
from screwgraph.optimize.methods.base import Run, Tolerances
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.result import Iterate, Status
from screwgraph.optimize.template_derivatives import parameter_name
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.tape import Tape
from screwgraph.tape import program as tape_program


@dataclass(frozen=True)
class Ipopt:
    """IPOPT with exact second derivatives, in the directions of the start. Waechter & Biegler (2006).

    `options` are IPOPT's. The unknowns of its iterations are not seen: a callback gets the start and the end.
    """

    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve by IPOPT."""
        ca = casadi_module()

        nlp, lower, upper = make_nlp(assembly, x)
        given = {f"ipopt.{name}": value for name, value in self.options.items()}
        quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"}
        within = {"ipopt.tol": tolerances.dual, "ipopt.constr_viol_tol": tolerances.violation}
        solver = ca.nlpsol("solver", "ipopt", nlp, {**quiet, **within, "error_on_fail": False, **given})
        yield make_iterate(assembly, x, 0.0)
        found = solver(x0=np.zeros(assembly.layout.size), lbg=lower, ubg=upper)
        stats = solver.stats()
        gradient = tolerances.dual if stats["success"] else np.inf
        yield make_iterate(assembly, assembly.layout.retract(x, np.asarray(found["x"])[:, 0]), gradient)
        return read_status(stats)


def make_nlp(assembly: Assembly, x: Float[np.ndarray, " s"]) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Return the program in directions d from x, as `casadi.nlpsol` takes it, and the bounds of its constraints."""
    ca = casadi_module()

    layout = assembly.layout
    d = ca.MX.sym("d", layout.size)
    cost = sum((ca.sum2(batch_expressions(b, layout, x, d, "cost")) for b in assembly.soft), start=ca.MX(0.0))
    cost /= assembly.cost_scale
    hard = [*assembly.equalities.batches, *assembly.inequalities.batches]
    rows = [ca.vec(batch_expressions(b, layout, x, d, "residual")) for b in hard]
    equal, unequal = assembly.equalities.count, assembly.inequalities.count
    lower = np.concatenate([np.zeros(equal), np.full(unequal, -np.inf)])
    return {"x": d, "f": cost, "g": ca.vertcat(*rows)}, lower, np.zeros(equal + unequal)


def batch_expressions(batch: Batch, layout: ValueLayout, x: Float[np.ndarray, " s"], d: Any, what: str) -> Any:
    """Return costs (1, N) or residuals (m, N) of a batch where unknowns have moved by d from x."""
    ca = casadi_module()

    f, count = batch.factors, len(batch)
    if f.refresh is not None:
        raise InputError(
            f"{f.name} reads a table", why="CasADi's solvers need expressions", fix="choose another method"
        )
    function = make_factor_expression(batch, what)
    views, columns = layout.views(x), []
    for a in f.arguments:
        name, dim = a.variables.name, a.variables.manifold.dim
        picked = np.broadcast_to(views[name][a.indices], (count, *views[name].shape[1:]))
        columns.append(ca.DM(picked.reshape(count, -1).T))
        first = layout.directions[name].start + np.broadcast_to(a.indices, (count,)) * dim
        places = (first[:, None] + np.arange(dim)).ravel()
        columns.append(ca.reshape(d[places.tolist()], dim, count))
    for array in batch.parameters:
        columns.append(ca.DM(np.broadcast_to(array, (count, array.shape[-1])).T))
    return function.map(count)(*columns)


def make_factor_expression(batch: Batch, what: str) -> Any:
    """Return one factor's cost or residual as a function of its unknowns and directions in turn, and parameters."""
    f, tape = batch.factors, Tape(merge="form")
    arguments, unknowns = [], []
    for i, a in enumerate(f.arguments):
        kind = a.variables.manifold
        for name, shape in ((f"x{i}", kind.shape), (f"d{i}", (kind.dim,))):
            arguments.append((name, number_names(name, shape)))
        unknowns.append(kind.retract(tape.inputs(f"x{i}", kind.shape), tape.inputs(f"d{i}", (kind.dim,))))
    parameters: dict[str, Any] = {}
    for i, shapes in enumerate((f.signature.shared, f.signature.each)):
        if shapes:
            numbers = [n for name, shape in shapes for n in number_names(parameter_name(name), shape)]
            arguments.append((f"p{i}", numbers))
        parameters |= {name: tape.inputs(parameter_name(name), shape) for name, shape in shapes}
    if what == "residual":
        result = f.kernels.derivation.expression(unknowns, parameters, white=False).tolist()
    else:
        r = f.kernels.derivation.expression(unknowns, parameters)
        result = [f.kernels.derivation.cost_of(r)]
    return casadi_function(what, tape_program(tape, result), arguments)


def make_iterate(assembly: Assembly, x: np.ndarray, gradient: float) -> Iterate:
    """Return the iterate at x."""
    model = KktSystem(assembly).model(x)
    return Iterate(x, model.cost, model.violation, gradient)


def read_status(stats: Mapping[str, Any]) -> tuple[Status, str]:
    """Return how a solver of CasADi ended."""
    said = str(stats["return_status"]).replace("_", " ")
    said = {"0": "solved"}.get(said, f"fatrop's status {said}" if said.lstrip("-").isdigit() else said)
    reason = f"{said}, after {stats.get('iter_count', 0)} iterations"
    if stats["success"]:
        return Status.CONVERGED, reason
    kinds = {"Infeasible": Status.INFEASIBLE, "Maximum": Status.ITERATION_LIMIT, "Invalid": Status.NOT_FINITE}
    return next((status for word, status in kinds.items() if word in said), Status.FAILED), reason
