"""screwgraph: an optimising compiler and solver for robot dynamics on factor graphs."""

from typing import TYPE_CHECKING

from screwgraph.compiler import Function, Search
from screwgraph.compiler import compile_graph as compile
from screwgraph.dynamics import bias_forces, forward_dynamics, hybrid_dynamics, inverse_dynamics, mass_matrix
from screwgraph.elimination import Dag, Ordering, eliminate, orderings
from screwgraph.errors import EliminationError, InputError, ModelError, ScrewgraphError
from screwgraph.formats import load, save, zoo_names
from screwgraph.graph import Factor, FactorGraph, Key, Variable, dynamics_graph, factor, with_loop
from screwgraph.queries import estimate, inverse_trajectory, simulate
from screwgraph.robot import Robot
from screwgraph.simulation import Trajectory

__version__ = "0.1.0"


if TYPE_CHECKING:
    from screwgraph.estimation import over
    from screwgraph.mechanism import Mechanism, load_mechanism, mechanism_names
    from screwgraph.plan import Plan, Planner, Task, plan, task_names

_LATER = {
    **dict.fromkeys(("draw", "optimize", "plan", "view"), ""),
    **dict.fromkeys(("Mechanism", "load_mechanism", "mechanism_names"), "mechanism"),
    "over": "estimation",
    **dict.fromkeys(("Plan", "Planner", "Task", "task_names"), "plan"),
}
"""Packages that are loaded when they are first needed, most programs need none of them, and names that these hold."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'screwgraph' has no attribute {name!r}")
    import importlib

    package = importlib.import_module(f"screwgraph.{_LATER[name] or name}")
    return getattr(package, name) if _LATER[name] else package


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "Dag",
    "EliminationError",
    "Factor",
    "FactorGraph",
    "Function",
    "InputError",
    "Key",
    "Mechanism",
    "ModelError",
    "Ordering",
    "Plan",
    "Planner",
    "Robot",
    "ScrewgraphError",
    "Search",
    "Task",
    "Trajectory",
    "Variable",
    "bias_forces",
    "compile",
    "dynamics_graph",
    "eliminate",
    "estimate",
    "factor",
    "forward_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_trajectory",
    "load",
    "load_mechanism",
    "mass_matrix",
    "mechanism_names",
    "orderings",
    "over",
    "plan",
    "save",
    "simulate",
    "task_names",
    "with_loop",
    "zoo_names",
]
