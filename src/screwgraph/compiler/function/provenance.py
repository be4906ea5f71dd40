"""What the code of a function was made of: for its DAG, its report, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.derivatives.tape_derivatives import Analytic
from screwgraph.compiler.function.singular_fallback import Fallback
from screwgraph.elimination import Dag
from screwgraph.tape import Code


@dataclass(frozen=True, eq=False)
class Provenance:
    """Provenance of code: what it was made of, computed on demand.

    `plain` makes the elimination of the robot as it is, in the same order; `passes` makes the code before any pass, and
    after each; `analytic` knows derivatives in closed form, where there are some; `vanished` what to do where a pivot
    vanishes; `examples` are values (k, numbers) of each argument at which exported code is tried.
    """

    __repr__ = one_line

    plain: Callable[[], Dag]
    passes: Callable[[], Mapping[str, Code]]
    analytic: Analytic | None = None
    vanished: Fallback | None = None
    examples: Callable[[], Sequence[np.ndarray]] | None = None

    def report(self) -> str:
        """Return the operations of the code before any pass and after each, a line each."""
        lines, before = [], None
        for name, code in self.passes().items():
            count = code.operations.total
            saved = "" if before is None else f"   {before - count:+d} saved"
            lines.append(f"{name:<28}{count:>7}{saved}")
            before = count
        return "\n".join(lines)


def make_direct_provenance(why: str, analytic: Analytic | None = None, vanished: Fallback | None = None) -> Provenance:
    """Return the origin of code that no elimination made, which says `why` where its DAG is asked for."""

    def refuse() -> NoReturn:
        raise InputError("this function was not made by elimination", why=why)

    return Provenance(refuse, dict, analytic, vanished)


def make_unknown_provenance(analytic: Analytic | None, vanished: Fallback | None) -> Provenance:
    """Return the origin of a function that was pickled: it has no DAG and no report."""
    return Provenance(_raise_unknown, _raise_unknown, analytic, vanished)


def _raise_unknown() -> NoReturn:
    raise InputError(
        "a function that was pickled has no DAG and no report", fix="compile it anew: its code is in the cache"
    )
