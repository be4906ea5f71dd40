"""Efforts that act in a step: those of joints or motors within their limits, and those that external wrenches are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Argument, make_numbered_argument
from screwgraph.motion.simulation.step_function import limit_efforts
from screwgraph.motion.simulation.wrench_efforts import WRENCHES, WrenchEfforts
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class StepEfforts:
    """The largest efforts (N m, N), where they are cut, and efforts of external wrenches, which are not."""

    __repr__ = one_line

    limits: Sequence[float] | None = None
    wrenches: WrenchEfforts | None = None

    @property
    def question(self) -> object:
        """All that code depends on."""
        return self.limits, self.wrenches and self.wrenches.question

    def list_arguments(self, state: Sequence[Argument]) -> tuple[Argument, ...]:
        """Return the arguments q, qd, tau, wrenches of a step, from those of a model that takes all as efforts."""
        if self.wrenches is None:
            return tuple(state)
        own = {argument.name: argument for argument in state}
        if self.wrenches.count != len(own["tau"].names):
            own["tau"] = make_numbered_argument("tau", self.wrenches.count)
        return (*(argument for argument in own.values() if argument.names), self.wrenches.argument)

    def find_inputs(self, names: Sequence[str]) -> list[str]:
        """Return which arguments of a step efforts are made of; none where they are tau as it is given."""
        if self.wrenches is not None:
            return [name for name in ("tau", "q", WRENCHES, PARAMETERS) if name in names]
        return ["tau"] if self.limits is not None and "tau" in names else []

    def total(self, given: Mapping[str, Any]) -> list[Number]:
        """Return efforts of all, of the arguments of a step by name."""
        tau = list(given.get("tau", ()))
        cut = tau if self.limits is None else limit_efforts(tau, self.limits)
        if self.wrenches is None:
            return cut
        own = np.array(cut, dtype=object)
        return list(self.wrenches.add_to(own, given["q"], given[WRENCHES], given.get(PARAMETERS, ())))
