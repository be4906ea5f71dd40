"""Old names of public functions, classes and modules: they work for one version, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

NAMES: Mapping[str, Mapping[str, str]] = {
    "screwgraph.compiler": {
        "Compiled": "CompiledProgram",
        "Listing": "ExportedFunction",
        "Made": "CachedCode",
        "March": "StepLoop",
        "Marching": "CompiledStepLoop",
        "Origin": "Provenance",
        "at": "prior_factors",
        "compiled": "compile_program",
        "dtype_name": "validate_dtype",
        "marching": "compile_step_loop",
        "numbered": "make_numbered_argument",
        "one_file_each": "write_one_file_each",
    },
    "screwgraph.elimination": {
        "Found": "SearchResult",
        "State": "IntermediateGraph",
        "halves": "splice_plans",
        "spread": "evaluate_on_executor",
    },
    "screwgraph.elimination.orderings": {
        "by_name": "find_ordering",
        "others": "list_fallbacks",
    },
    "screwgraph.motion.estimation": {
        "RobotSmoother": "OnlineSmoother",
        "inverse_dynamics_of": "inverse_mechanism_trajectory",
        "mechanics_of": "get_mechanics",
        "replayed": "replay_measurements",
    },
    "screwgraph.model.formats": {
        "described": "try_to_text",
        "did_you_mean": "suggest_name",
        "readable": "split_readable",
        "save": "screwgraph.save",
        "shown": "quote_text",
        "summary": "summarise_unreadable",
        "thinned": "thin_mesh",
    },
    "screwgraph.graph": {
        "Model": "EditedModel",
        "no_payload": "refuse_payload",
        "shared_work_graph": "redundant_motors_graph",
        "spans": "loop_spans",
        "tied_by": "joints_by_multiplier",
        "tied_joints": "cluster_joints",
        "tied_links": "links_by_multiplier",
    },
    "screwgraph.mechanics.kinematics": {
        "compiled": "compile_kinematics",
    },
    "screwgraph.mechanics.kinematics.targets": {
        "Moving": "TargetValue",
        "Rows": "TargetResidual",
    },
    "screwgraph.mechanics.mechanism": {
        "Freedom": "MechanismMobility",
        "compiled_mechanism": "compile_mechanism",
        "followed": "follow_branch",
        "observed": "simulate_sensors",
    },
    "screwgraph.optimize": {
        "Solved": "WindowStatus",
        "refreshed": "refresh_parameters",
        "shifted": "shift_result",
        "shown": "show_iterations",
    },
    "screwgraph.optimize.smoothers": {
        "Front": "UpdateInputs",
        "Solved": "WindowStatus",
    },
    "screwgraph.motion.planning": {
        "Excitation": "screwgraph.motion.identification.Excitation",
    },
    "screwgraph.motion.planning.collision": {
        "load_grid": "load_distance_grid",
        "placed": "place_spheres",
    },
    "screwgraph.model.robot": {
        "Jacobians": "SampledJacobians",
        "analysed_as": "share_analysis",
        "determined": "find_determined_columns",
        "followed_jacobians": "compute_followed_jacobians",
        "implausible": "list_implausible",
        "lever": "make_lever",
        "prefixed": "prefix_names",
        "resorted": "sort_robot",
        "snapped": "snap_rotations",
        "unknown": "make_unknown_name_error",
    },
    "screwgraph.motion.simulation": {
        "Balance": "EnergyBalance",
        "Given": "StepValues",
        "efforts": "validate_torques",
        "joined": "join_parts",
        "simulated": "simulate_dynamics",
        "under": "accelerations_under",
    },
    "screwgraph.motion.simulation.methods": {
        "State": "MotionState",
    },
    "screwgraph.tape": {
        "mapped": "map_nested",
        "substituted": "substitute_scalars",
    },
    "screwgraph.motion.integration_rules": {
        "between": "interpolate_step",
        "polynomials": "lagrange_polynomials",
        "stages": "explicit_stages",
        "stepped": "take_step",
    },
    "screwgraph.ui.view": {
        "rest": "rest_position",
        "thinned": "thin_states",
    },
}
"""By package: old names, and those that took their places; with its path where one stands elsewhere."""

MODULES: Mapping[str, str] = {
    "screwgraph.bench": "screwgraph.ui.bench",
    "screwgraph.cli": "screwgraph.ui.cli",
    "screwgraph.deployment": "screwgraph.api.deployment",
    "screwgraph.draw": "screwgraph.ui.draw",
    "screwgraph.dynamics": "screwgraph.mechanics.dynamics",
    "screwgraph.errors": "screwgraph.base.errors",
    "screwgraph.estimation": "screwgraph.motion.estimation",
    "screwgraph.formats": "screwgraph.model.formats",
    "screwgraph.identification": "screwgraph.motion.identification",
    "screwgraph.interop": "screwgraph.api.interop",
    "screwgraph.kinematics": "screwgraph.mechanics.kinematics",
    "screwgraph.lowering": "screwgraph.graph.passes",
    "screwgraph.mechanism": "screwgraph.mechanics.mechanism",
    "screwgraph.mechanism.compiled": "screwgraph.mechanics.mechanism.mechanism_functions",
    "screwgraph.models": "screwgraph.model",
    "screwgraph.notebook": "screwgraph.ui.notebook",
    "screwgraph.plan": "screwgraph.motion.planning",
    "screwgraph.plan.collision.automatic": "screwgraph.motion.planning.collision.automatic_spheres",
    "screwgraph.plan.contacts.point": "screwgraph.motion.planning.contacts.point_contact",
    "screwgraph.plan.read": "screwgraph.motion.planning.task_files",
    "screwgraph.queries": "screwgraph",
    "screwgraph.robot": "screwgraph.model.robot",
    "screwgraph.simulation": "screwgraph.motion.simulation",
    "screwgraph.spatial.arrays": "screwgraph.spatial.generic_math",
    "screwgraph.summary": "screwgraph.base.summary",
    "screwgraph.time": "screwgraph.motion.integration_rules",
    "screwgraph.view": "screwgraph.ui.view",
    "screwgraph.zoo": "screwgraph.model.zoo",
}
"""Old paths of packages, and of modules that pages of the documentation import, and new ones."""


def old_names(package: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: it warns of an old name, and returns what has the new one."""

    def find(name: str) -> object:
        new = NAMES[package].get(name)
        if new is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, _, own = new.rpartition(".")
        _warn(f"{package}.{name}", new if home else f"{package}.{new}")
        return getattr(import_module(home or package), own)

    return find


class OldModules:
    """Finder and loader of modules under their old paths, for `sys.meta_path`."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the specification of a module that has another path now."""
        return None if new_path(name) is None else ModuleSpec(name, cls())  # pyright: ignore[reportArgumentType]

    def create_module(self, spec: ModuleSpec) -> None:
        """Make the module as usual."""

    def exec_module(self, module: Any) -> None:
        """Put the module at the new path in its place."""
        name = module.__name__
        new = new_path(name)
        assert new is not None, "only such modules are found"
        _warn(name, new)
        sys.modules[name] = OldPlan() if name == "screwgraph.plan" else import_module(new)  # pyright: ignore[reportArgumentType]


class OldPlan:
    """The package `screwgraph.plan` of the version before, which has the name of the function `sg.plan`."""

    __path__: tuple[str, ...] = ()

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call `sg.plan`."""
        return import_module("screwgraph.motion.planning").plan(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("screwgraph.motion.planning"), name)


def new_path(name: str) -> str | None:
    """Return the path that a module has now; None where it is not an old one."""
    if name in MODULES:
        return MODULES[name]
    package, _, rest = name.rpartition(".")
    parent = new_path(package) if package.startswith("screwgraph.") else None
    return None if parent is None else f"{parent}.{rest}"


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated, use {new}", DeprecationWarning, stacklevel=3)
