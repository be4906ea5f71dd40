"""screwgraph: an optimising compiler and solver for robot dynamics on factor graphs."""

import sys as _sys
import time as _time

__version__ = "0.1.0"
IMPORTED_NS = _time.time_ns()
"""When this process began to import the package (ns since 1970): sources that changed later are not what it runs."""

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all this
if TYPE_CHECKING:
    from screwgraph.compiler import Function, Search
    from screwgraph.compiler import compile_graph as compile
    from screwgraph.deployment import export_library, together
    from screwgraph.dynamics import (
        BaseParameters,
        base_parameters,
        bias_forces,
        closed_positions,
        forward_dynamics,
        hybrid_dynamics,
        inverse_dynamics,
        mass_matrix,
        regressor,
    )
    from screwgraph.elimination import Dag, Ordering, eliminate, orderings
    from screwgraph.errors import EliminationError, InputError, ModelError, ScrewgraphError
    from screwgraph.estimation import over
    from screwgraph.formats import save, zoo_names
    from screwgraph.graph import (
        Factor,
        FactorGraph,
        Key,
        Variable,
        dynamics_graph,
        factor,
        kinematics_graph,
        with_actuators,
        with_loop,
        with_measurements,
        with_soft,
    )
    from screwgraph.kinematics import (
        center_of_mass,
        center_of_mass_acceleration,
        center_of_mass_jacobian,
        center_of_mass_velocity,
        centroidal_momentum,
        centroidal_momentum_matrix,
        centroidal_momentum_rate,
        coriolis_matrix,
        difference,
        forward_kinematics,
        frame_acceleration,
        frame_jacobian,
        frame_velocity,
        integrate,
        inverse_kinematics,
        kinetic_energy,
        neutral,
        potential_energy,
        random,
    )
    from screwgraph.mechanism import Mechanism, load_mechanism, mechanism_names
    from screwgraph.models import load
    from screwgraph.planning import Plan, Planner, Task, plan, task_names
    from screwgraph.progress_report import progress
    from screwgraph.queries import (
        estimate,
        excitation,
        identify,
        inverse_trajectory,
        minimal_distance,
        rollout,
        simulate,
    )
    from screwgraph.robot import Robot
    from screwgraph.simulation import Rollouts, Simulator, Trajectory

_LATER = {
    **dict.fromkeys(("compiler", "deployment", "draw", "dynamics", "elimination", "errors", "formats", "graph"), ""),
    "interop": "",
    **dict.fromkeys(
        ("kinematics", "optimize", "planning", "robot", "simulation", "spatial", "tape", "time", "view"), ""
    ),
    **dict.fromkeys(("Function", "Search", "compile_graph"), "compiler"),
    **dict.fromkeys(("export_library", "together"), "deployment"),
    "progress": "progress_report",
    **dict.fromkeys(
        ("bias_forces", "closed_positions", "forward_dynamics", "hybrid_dynamics", "inverse_dynamics", "mass_matrix"),
        "dynamics",
    ),
    **dict.fromkeys(("BaseParameters", "base_parameters", "regressor"), "dynamics"),
    **dict.fromkeys(("Dag", "Ordering", "eliminate", "orderings"), "elimination"),
    **dict.fromkeys(("EliminationError", "InputError", "ModelError", "ScrewgraphError"), "errors"),
    "over": "estimation",
    "load": "models",
    **dict.fromkeys(("save", "zoo_names"), "formats"),
    **dict.fromkeys(("Factor", "FactorGraph", "Key", "Variable", "dynamics_graph", "factor", "with_loop"), "graph"),
    "kinematics_graph": "graph",
    **dict.fromkeys(("with_actuators", "with_measurements", "with_soft"), "graph"),
    **dict.fromkeys(
        (
            "center_of_mass",
            "center_of_mass_acceleration",
            "center_of_mass_jacobian",
            "center_of_mass_velocity",
            "centroidal_momentum",
            "centroidal_momentum_matrix",
            "centroidal_momentum_rate",
            "coriolis_matrix",
            "forward_kinematics",
            "frame_acceleration",
            "frame_jacobian",
            "frame_velocity",
            "kinetic_energy",
            "random",
            "neutral",
            "integrate",
            "inverse_kinematics",
            "difference",
            "potential_energy",
        ),
        "kinematics",
    ),
    **dict.fromkeys(("Mechanism", "load_mechanism", "mechanism_names"), "mechanism"),
    **dict.fromkeys(("Plan", "Planner", "Task", "plan", "task_names"), "planning"),
    **dict.fromkeys(("estimate", "excitation", "identify", "inverse_trajectory", "minimal_distance"), "queries"),
    **dict.fromkeys(("rollout", "simulate"), "queries"),
    "Robot": "robot",
    **dict.fromkeys(("Rollouts", "Simulator", "Trajectory"), "simulation"),
}
"""Packages, and names that they hold: loaded when they are first needed, so that importing takes no time."""
_NAMES = {"compile": "compile_graph"}
"""Names that are others in their packages."""


class _OldModules:
    """Finder of modules under paths that they had in the version before; see `screwgraph.deprecated`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if not name.startswith("screwgraph.") or name == "screwgraph.deprecated":
            return None
        from screwgraph.deprecated import OldModules

        return OldModules.find_spec(name)


_sys.meta_path.append(_OldModules)  # pyright: ignore[reportArgumentType]


def __getattr__(name: str) -> object:
    own = _NAMES.get(name, name)
    if own not in _LATER:
        raise AttributeError(f"module 'screwgraph' has no attribute {name!r}")
    import importlib

    package = importlib.import_module(f"screwgraph.{_LATER[own] or own}")
    return getattr(package, own) if _LATER[own] else package


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_NAMES})


__all__ = [
    "BaseParameters",
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
    "Rollouts",
    "ScrewgraphError",
    "Search",
    "Simulator",
    "Task",
    "Trajectory",
    "Variable",
    "base_parameters",
    "bias_forces",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "closed_positions",
    "compile",
    "coriolis_matrix",
    "difference",
    "dynamics_graph",
    "eliminate",
    "estimate",
    "excitation",
    "export_library",
    "factor",
    "forward_dynamics",
    "forward_kinematics",
    "frame_acceleration",
    "frame_jacobian",
    "frame_velocity",
    "hybrid_dynamics",
    "identify",
    "integrate",
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_trajectory",
    "kinematics_graph",
    "kinetic_energy",
    "load",
    "load_mechanism",
    "mass_matrix",
    "mechanism_names",
    "minimal_distance",
    "neutral",
    "orderings",
    "over",
    "plan",
    "potential_energy",
    "progress",
    "random",
    "regressor",
    "rollout",
    "save",
    "simulate",
    "task_names",
    "together",
    "with_actuators",
    "with_loop",
    "with_measurements",
    "with_soft",
    "zoo_names",
]
