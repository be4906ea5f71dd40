"""Nonlinear factor graphs: least squares with hard constraints, solved by compiled batches of factors."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.optimize.factors import Factors, cost, equality, hinge, inequality, refresh_parameters, soft
from screwgraph.optimize.incremental import EditedProblem, Incremental, Updated
from screwgraph.optimize.losses import (
    LOSSES,
    Cauchy,
    DeadZone,
    DynamicCovarianceScaling,
    Fair,
    GemanMcClure,
    Huber,
    Loss,
    Truncated,
    Tukey,
    Welsch,
)
from screwgraph.optimize.methods import (
    METHODS,
    AugmentedLagrangian,
    ConstraintManifold,
    Dogleg,
    Fatrop,
    GaussNewton,
    InteriorPoint,
    Ipopt,
    LevenbergMarquardt,
    Method,
    Tolerances,
)
from screwgraph.optimize.parameters import Each, each
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.progress import show_iterations
from screwgraph.optimize.result import Progress, Result, Status
from screwgraph.optimize.smoothers import FixedLag, WindowStatus
from screwgraph.optimize.solve import solve
from screwgraph.optimize.stage import compile_stage
from screwgraph.optimize.time_shift import shift_result
from screwgraph.optimize.variables import Selection, Variables
from screwgraph.spatial.manifolds import SE2, SE3, SO3, Manifold, Vector

__all__ = [
    "LOSSES",
    "METHODS",
    "SE2",
    "SE3",
    "SO3",
    "AugmentedLagrangian",
    "Cauchy",
    "ConstraintManifold",
    "DeadZone",
    "Dogleg",
    "DynamicCovarianceScaling",
    "Each",
    "EditedProblem",
    "Factors",
    "Fair",
    "Fatrop",
    "FixedLag",
    "GaussNewton",
    "GemanMcClure",
    "Huber",
    "Incremental",
    "InteriorPoint",
    "Ipopt",
    "LevenbergMarquardt",
    "Loss",
    "Manifold",
    "Method",
    "Problem",
    "Progress",
    "Result",
    "Selection",
    "Status",
    "Tolerances",
    "Truncated",
    "Tukey",
    "Updated",
    "Variables",
    "Vector",
    "Welsch",
    "WindowStatus",
    "compile_stage",
    "cost",
    "each",
    "equality",
    "hinge",
    "inequality",
    "refresh_parameters",
    "shift_result",
    "show_iterations",
    "soft",
    "solve",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
