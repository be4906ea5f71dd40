"""screwgraph: an optimising compiler and solver for robot dynamics on factor graphs."""

import sys as _sys
import time as _time

__version__ = "0.1.0"
IMPORTED_NS = _time.time_ns()
"""When this process began to import the package (ns since 1970): sources that changed later are not what it runs."""

RENDERER = "screwgraph.ui.notebook"
"""The package that draws objects for notebooks, see `base.html_display`."""

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all this
if TYPE_CHECKING:
    from screwgraph import compiler as compiler
    from screwgraph import elimination as elimination
    from screwgraph import graph as graph
    from screwgraph import optimize as optimize
    from screwgraph import spatial as spatial
    from screwgraph import tape as tape
    from screwgraph.api import deployment as deployment
    from screwgraph.api import interop as interop
    from screwgraph.api.deployment import export_library, together
    from screwgraph.base import errors as errors
    from screwgraph.base.errors import EliminationError, InputError, ModelError, ScrewgraphError
    from screwgraph.base.progress_report import progress
    from screwgraph.compiler import Function, Search
    from screwgraph.elimination import Dag, Ordering, eliminate, orderings
    from screwgraph.graph import (
        Factor,
        FactorGraph,
        Key,
        Variable,
        dynamics_graph,
        factor,
        kinematics_graph,
        with_actuators,
        with_bounds,
        with_inequality,
        with_loop,
        with_measurements,
        with_pin_forces,
        with_point_contacts,
        with_soft,
    )
    from screwgraph.mechanics import dynamics as dynamics
    from screwgraph.mechanics import kinematics as kinematics
    from screwgraph.mechanics.dynamics import (
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
    from screwgraph.mechanics.kinematics import (
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
    from screwgraph.mechanics.mechanism import Mechanism, load_mechanism, mechanism_names
    from screwgraph.model import formats as formats
    from screwgraph.model import robot as robot
    from screwgraph.model.formats import zoo_names
    from screwgraph.model.load import load
    from screwgraph.model.robot import Robot, world
    from screwgraph.model.save import save
    from screwgraph.motion import control as control
    from screwgraph.motion import integration_rules as integration_rules
    from screwgraph.motion import planning as planning
    from screwgraph.motion import simulation as simulation
    from screwgraph.motion.control import controller, mpc
    from screwgraph.motion.estimation import estimate, inverse_trajectory, over
    from screwgraph.motion.identification import identify
    from screwgraph.motion.identification.excitation import excitation
    from screwgraph.motion.planning import Plan, Planner, Task, plan, task_names
    from screwgraph.motion.planning.collision import minimal_distance
    from screwgraph.motion.simulate import simulate
    from screwgraph.motion.simulation import (
        Contact,
        Environment,
        HeightMap,
        OtherBody,
        Plane,
        Rollouts,
        Simulator,
        Steps,
        Trajectory,
        rollout,
    )
    from screwgraph.optimize import compile_stage as compile
    from screwgraph.ui import draw as draw
    from screwgraph.ui import view as view

_PACKAGES = {
    **dict.fromkeys(("compiler", "elimination", "graph", "optimize", "spatial", "tape"), ""),
    **dict.fromkeys(("formats", "robot"), "model"),
    **dict.fromkeys(("dynamics", "kinematics"), "mechanics"),
    **dict.fromkeys(("control", "integration_rules", "planning", "simulation"), "motion"),
    **dict.fromkeys(("deployment", "interop"), "api"),
    **dict.fromkeys(("draw", "view"), "ui"),
    "errors": "base",
}
"""Packages that `sg` shows, and those that hold them."""
_LATER = {
    **dict.fromkeys(("Function", "Search"), "compiler"),
    "compile_stage": "optimize",
    **dict.fromkeys(("export_library", "together"), "api.deployment"),
    "progress": "base.progress_report",
    **dict.fromkeys(
        ("bias_forces", "closed_positions", "forward_dynamics", "hybrid_dynamics", "inverse_dynamics", "mass_matrix"),
        "mechanics.dynamics",
    ),
    **dict.fromkeys(("BaseParameters", "base_parameters", "regressor"), "mechanics.dynamics"),
    **dict.fromkeys(("Dag", "Ordering", "eliminate", "orderings"), "elimination"),
    **dict.fromkeys(("EliminationError", "InputError", "ModelError", "ScrewgraphError"), "base.errors"),
    **dict.fromkeys(("estimate", "inverse_trajectory", "over"), "motion.estimation"),
    "identify": "motion.identification",
    "load": "model.load",
    "save": "model.save",
    "zoo_names": "model.formats",
    **dict.fromkeys(("Factor", "FactorGraph", "Key", "Variable", "dynamics_graph", "factor", "with_loop"), "graph"),
    "kinematics_graph": "graph",
    **dict.fromkeys(
        (
            "with_actuators",
            "with_bounds",
            "with_inequality",
            "with_measurements",
            "with_pin_forces",
            "with_point_contacts",
            "with_soft",
        ),
        "graph",
    ),
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
        "mechanics.kinematics",
    ),
    **dict.fromkeys(("Mechanism", "load_mechanism", "mechanism_names"), "mechanics.mechanism"),
    **dict.fromkeys(("Plan", "Planner", "Task", "plan", "task_names"), "motion.planning"),
    **dict.fromkeys(("controller", "mpc"), "motion.control"),
    "excitation": "motion.identification.excitation",
    "minimal_distance": "motion.planning.collision",
    **dict.fromkeys(("Robot", "world"), "model.robot"),
    "simulate": "motion.simulate",
    **dict.fromkeys(
        (
            "Contact",
            "Environment",
            "HeightMap",
            "OtherBody",
            "Plane",
            "Rollouts",
            "Simulator",
            "Steps",
            "Trajectory",
            "rollout",
        ),
        "motion.simulation",
    ),
}
"""Names, and modules that hold them: loaded when they are first needed, so that importing takes no time."""
_NAMES = {"compile": "compile_stage"}
"""Names that are others in their packages."""


class _OldModules:
    """Finder of modules under paths that they had in the version before; see `screwgraph.base.deprecated`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if not name.startswith("screwgraph."):
            return None
        from screwgraph.base.deprecated import OldModules

        return OldModules.find_spec(name)


_sys.meta_path.append(_OldModules)  # pyright: ignore[reportArgumentType]


def __getattr__(name: str) -> object:
    import importlib

    own = _NAMES.get(name, name)
    if own in _PACKAGES:
        return importlib.import_module(".".join(part for part in ("screwgraph", _PACKAGES[own], own) if part))
    if own not in _LATER:
        from screwgraph.base.deprecated import MODULES

        if f"screwgraph.{name}" in MODULES:
            return importlib.import_module(f"screwgraph.{name}")
        from screwgraph.base.familiar_names import describe_familiar_name

        known = describe_familiar_name(name, _LATER)
        fix = f"; here it is {known}" if known else ""
        raise AttributeError(f"module 'screwgraph' has no attribute {name!r}{fix}")
    return getattr(importlib.import_module(f"screwgraph.{_LATER[own]}"), own)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *_LATER, *_NAMES})


__all__ = [
    "BaseParameters",
    "Contact",
    "Dag",
    "EliminationError",
    "Environment",
    "Factor",
    "FactorGraph",
    "Function",
    "HeightMap",
    "InputError",
    "Key",
    "Mechanism",
    "ModelError",
    "Ordering",
    "OtherBody",
    "Plan",
    "Plane",
    "Planner",
    "Robot",
    "Rollouts",
    "ScrewgraphError",
    "Search",
    "Simulator",
    "Steps",
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
    "controller",
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
    "mpc",
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
    "with_bounds",
    "with_inequality",
    "with_loop",
    "with_measurements",
    "with_pin_forces",
    "with_point_contacts",
    "with_soft",
    "world",
    "zoo_names",
]
