"""The code of a problem, made one function after the other, so that a time limit can end it in between."""

from __future__ import annotations

from collections.abc import Iterator

from screwgraph.base.progress_report import report_progress
from screwgraph.optimize.batch import make_batches
from screwgraph.optimize.kernels import Kernels
from screwgraph.optimize.methods import UNCONSTRAINED, InteriorPoint, Method
from screwgraph.optimize.problem import Problem

WORDS = {"pattern": "derivatives", "places": "derivatives", "bends": "second derivatives"}
"""What patterns take, in people's words; all else is code."""


def compile_in_stages(problem: Problem, method: Method, name: str) -> Iterator[None]:
    """Make what the first iterations of a method call, and yield after each derivation and each compiled function.

    Nothing is yielded for what is made already. Other methods make their code when they need it.
    """
    if not isinstance(method, InteriorPoint) and name not in UNCONSTRAINED:
        return
    is_curved = isinstance(method, InteriorPoint) and method.curvature
    known = problem.__dict__.get("assembly")  # looks at patterns when it is made, which is part of what is yielded
    all_batches = list(make_batches(problem.factors) if known is None else known.batches)
    for number, batch in enumerate(all_batches):
        kernels = batch.factors.kernels
        for part in _parts(kernels, batch.factors.kind == "soft", is_curved):
            if part not in kernels.__dict__:
                report_progress(f"making {WORDS.get(part, 'code')} of {batch.factors.name}", number / len(all_batches))
                getattr(kernels, part)
                yield


def _parts(kernels: Kernels, is_soft: bool, is_curved: bool) -> Iterator[str]:
    """Yield the names of patterns, which take derivatives, and of the functions that follow."""
    if is_soft:
        yield from ("pattern", "normal" if kernels.is_unrolled else "whitened_jacobian")
        return
    yield from ("places", "jacobian")
    if is_curved:
        yield "bends"
        if kernels.bends[0].size:
            yield "curvature"
