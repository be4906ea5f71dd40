"""fatrop: an interior-point method for problems over time, which comes with CasADi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler import casadi_module
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.batch import Batch
from screwgraph.optimize.methods.base import Run, Tolerances
from screwgraph.optimize.methods.casadi_nlp import make_factor_expression, make_iterate, read_status
from screwgraph.optimize.result import Status


@dataclass(frozen=True)
class Fatrop:
    """fatrop, with a copy of the stage before as state: factors may tie neighbours in any way. Vanroye et al. (2023).

    Families have one unknown a stage (the last may be missing), or one that all stages share. `options` are fatrop's. A
    callback gets the start and the end.
    """

    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve by fatrop."""
        ca = casadi_module()

        yield make_iterate(assembly, x, np.inf)
        staged = find_stages(assembly)
        if isinstance(staged, str):
            return Status.FAILED, staged
        nlp, bounds, options = _program(assembly, staged, x)
        given = {f"fatrop.{name}": value for name, value in self.options.items()}
        quiet = {"print_time": False, "fatrop.print_level": 0, "error_on_fail": False}
        solver = ca.nlpsol("solver", "fatrop", nlp, {**quiet, "fatrop.tol": tolerances.dual, **options, **given})
        found = np.asarray(solver(x0=np.zeros(nlp["x"].numel()), **bounds)["x"])[:, 0]
        stats = solver.stats()
        d = np.zeros(assembly.layout.size)
        d[staged.directions] = found[staged.places]
        moved = assembly.layout.retract(x, d)
        yield make_iterate(assembly, moved, tolerances.dual if stats["success"] else np.inf)
        return read_status(stats)


def _program(
    assembly: Assembly, staged: Stages, x: Float[np.ndarray, " s"]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the program, stage by stage: (copy of the stage before, own unknowns); constraints in the same order."""
    ca = casadi_module()

    copies = [ca.SX.sym(f"s{k}", n) for k, n in enumerate(staged.copied)]
    own = [ca.SX.sym(f"u{k}", n) for k, n in enumerate(staged.owned)]
    cost, rows = ca.SX(0.0), [[] for _ in own]
    limits: list[list[float]] = [[] for _ in own]
    for batch in assembly.batches:
        kind = batch.factors.kind
        for k, expression in _factors(assembly, staged, batch, x, copies, own):
            if kind == "soft":
                cost += expression
            else:
                rows[k].append(expression)
                limits[k] += [0.0 if kind == "equality" else -np.inf] * expression.numel()
    unknowns, constraints, lower = [], [], []
    for k, (s, u) in enumerate(zip(copies, own, strict=True)):
        unknowns += [s, u]
        if k + 1 < len(own):
            shared = s[s.numel() - staged.shared :, 0]  # of one row, s[1:] is a row without columns
            constraints.append(copies[k + 1] - ca.vertcat(u, shared))
            lower += [0.0] * copies[k + 1].numel()
        constraints += rows[k]
        lower += limits[k]
    nlp = {"x": ca.vertcat(*unknowns), "f": cost / assembly.cost_scale, "g": ca.vertcat(*constraints)}
    options = {
        "structure_detection": "manual",
        "N": len(own) - 1,
        "nx": list(staged.copied),
        "nu": list(staged.owned),
        "ng": [len(part) for part in limits],
        "equality": [bound == 0.0 for bound in lower],
    }
    return nlp, {"lbg": lower, "ubg": np.zeros(len(lower))}, options


def _factors(
    assembly: Assembly, staged: Stages, batch: Batch, x: np.ndarray, copies: list[Any], own: list[Any]
) -> list[tuple[int, Any]]:
    """Return (stage, cost or residual) of each factor, on the symbols of its stage."""
    ca = casadi_module()

    views, found = assembly.layout.views(x), []
    function = make_factor_expression(batch, "cost" if batch.factors.kind == "soft" else "residual")
    for i in range(len(batch)):
        keys = [(a.variables.name, int(a.indices[i if len(a) > 1 else 0])) for a in batch.factors.arguments]
        k = max((staged.stage[key] for key in keys if key in staged.stage), default=0)
        arguments = []
        for a, key in zip(batch.factors.arguments, keys, strict=True):
            d = staged.symbol(key, k, copies, own, a.variables.manifold.dim)
            arguments += [ca.DM(views[key[0]][key[1]].ravel()), d]
        arguments += [ca.DM(p[i % len(p)] if p.ndim > 1 else p) for p in batch.parameters]
        found.append((k, function(*arguments)))
    return found


# The stages of a problem over time.

Key = tuple[str, int]
"""Family and number of an unknown."""


@dataclass(frozen=True, eq=False)
class Stages:
    """Which unknown belongs to which stage, and where it stands among that stage's directions.

    Each stage has a copy of the one before, followed by what all share (`shared` directions). `places` says where,
    in the sequence (copy, own) of all stages, the `directions` of a problem stand.
    """

    stage: Mapping[Key, int]
    start: Mapping[Key, int]
    copied: tuple[int, ...]
    owned: tuple[int, ...]
    shared: int
    directions: Int[np.ndarray, " n"]
    places: Int[np.ndarray, " n"]

    def symbol(self, key: Key, stage: int, copies: list[Any], own: list[Any], dim: int) -> Any:
        """Return the part of a stage's symbols that an unknown is there."""
        first = self.start[key]
        if key not in self.stage:
            first += self.copied[stage] - self.shared
            return copies[stage][first : first + dim]
        return (own[stage] if self.stage[key] == stage else copies[stage])[first : first + dim]


def find_stages(assembly: Assembly) -> Stages | str:
    """Return the stages of a problem; a text that says why there are none."""
    families = assembly.layout.families
    count = max(v.count for v in families)
    if count < 2 or any(v.count not in (1, count - 1, count) for v in families):
        return "there are no stages: families must have one unknown a stage, or one that all share"
    stage: dict[Key, int] = {}
    start: dict[Key, int] = {}
    owned, shared = [0] * count, 0
    for v in families:
        for i in range(v.count):
            if v.count == 1:
                start[v.name, i], shared = shared, shared + v.manifold.dim
            else:
                stage[v.name, i], start[v.name, i] = i, owned[i]
                owned[i] += v.manifold.dim
    for batch in assembly.batches:
        for keys in zip(
            *(_numbers(a, len(batch)) for a in batch.factors.arguments if a.variables.count > 1), strict=True
        ):
            if max(keys) - min(keys) > 1:
                return f"there are no stages: {batch.factors.name} connects unknowns that are not neighbours"
    copied = [shared, *(n + shared for n in owned[:-1])]
    firsts = np.concatenate([[0], np.cumsum(np.add(copied, owned))])
    directions, places = [], []
    for v in families:
        dim = v.manifold.dim
        for i in range(v.count):
            key, first = (v.name, i), assembly.layout.directions[v.name].start + i * dim
            at = firsts[stage[key]] + copied[stage[key]] + start[key] if key in stage else start[key]
            directions += range(first, first + dim)
            places += range(at, at + dim)
    return Stages(stage, start, tuple(copied), tuple(owned), shared, np.array(directions), np.array(places))


def _numbers(selection: Any, count: int) -> list[int]:
    return np.broadcast_to(selection.indices, (count,)).tolist()
