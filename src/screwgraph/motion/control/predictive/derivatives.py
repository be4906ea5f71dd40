"""Derivatives of the stages of a horizon along its trajectory, as parts of a tick."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.compiler import compile_expression, make_numbered_argument
from screwgraph.motion.control.predictive.base_slopes import BaseSlopes
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.stage_terms import StageTerms
from screwgraph.optimize.chain_program import ChainProgram
from screwgraph.spatial import largest_size
from screwgraph.tape import Memory, Part, SideBySide, StageLoop, Window


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Linearisation of all stages about the trajectory in `at`, of each stage from itself, the next one and `switches`.

    Where slopes go through a base, the model writes what is not of it, and products are added.
    """

    memory: Memory
    own: Horizon
    chain: ChainProgram
    terms: StageTerms
    through: BaseSlopes | None
    switches: tuple[str, ...]

    def parts(self, windows: tuple[Window, ...]) -> tuple[Part, ...]:
        """Return what writes J, c, C, bounds of its rows, gaps and offsets of all stages, and the largest defect."""
        N, block = self.own.stages, self.memory.block
        largest = block("defect", ["gap_k", "defect"], ["defect"], lambda gap, worst: [largest_size(gap, worst[0])])
        through = (StageLoop(N, (self.through.add(),), windows),) if self.through else ()
        return (
            block("clear", [], ["defect", "change"], lambda: [0.0, 0.0]),
            *self.chain.clear_rows(),
            SideBySide(N, (self._model(),), windows),
            *through,
            StageLoop(N, (largest,), windows),
        )

    def _model(self) -> Part:
        """Return the model of a stage."""
        own, label, expression = self.own, "stage", "linearise"
        names, has_rows = [*self.terms.reads, "at_k", "at_k+1", *self.switches], bool(own.C)
        J, C, more = "J_k", "C_k", list[str]()
        if self.through:
            for name, places in self.through.written.items():
                self.memory.scatter(f"own_{name}", places)
            label, expression = "stage through base", "linearise_through_base"
            J, C, more = "own_J", "own_C", ["own_arms", "own_base"]
        writes = [J, "c_k" if own.steps.bent else "c_v", *[C, "bound_r_k"] * has_rows, "gap_k"]
        writes += [*["offset_k"] * has_rows, *more]
        given = tuple(make_numbered_argument(name, len(self.memory.places(name))) for name in names)
        compute, bent = self.terms.at_stage(expression), bool(own.steps.bent)
        code = compile_expression(label, own.question, given, compute, branches=bent)
        return self.memory.placed("model", code.program, names, writes)
