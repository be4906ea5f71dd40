"""Templates whose figures and torques are unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.compiler import casadi_template
from screwgraph.mechanism.factors.expressions import substituted
from screwgraph.mechanism.symbolic_parameters import Varied


@dataclass(frozen=True)
class Estimated:
    """A template of a varied mechanism; after its own unknowns come torques, `ends` of them, then figures.

    Torques at both ends of a time step act with their mean; they push the coordinates `inputs`. `figured` says whether
    the template depends on figures: where it does not, it does not take them.
    """

    template: Any
    varied: Varied
    inputs: tuple[int, ...] = ()
    ends: int = 0
    figured: bool = False

    @casadi_template
    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Residual of the template."""
        import casadi as ca

        own = list(unknowns)
        figures = own.pop() if self.figured else None
        if self.ends:
            mean = sum(own[-self.ends :]) / self.ends
            own = own[: -self.ends]
            force = ca.SX.zeros(self.varied.mechanism.n)
            force[list(self.inputs)] = mean
            parameters["force"] = parameters.get("force", 0.0) + force
        residual = self.template(*own, **parameters)
        return residual if figures is None else substituted(residual, (self.varied.symbols, figures))


def depends_on_figures(template: Any, varied: Varied, sizes: tuple[int, ...], parameters: tuple[str, ...]) -> bool:
    """Tell whether a template, of unknowns of such sizes and parameters of such names, changes with the figures."""
    import casadi as ca

    if not varied.names:
        return False
    own = [ca.SX.sym(f"x{i}", size) for i, size in enumerate(sizes)]
    residual = template(*own, **{name: ca.SX.sym(name) for name in parameters})
    return bool(ca.depends_on(ca.SX(residual), varied.symbols))
