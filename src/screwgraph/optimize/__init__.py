"""Nonlinear factor graphs: least squares with hard constraints, solved by compiled batches of factors."""

from screwgraph.optimize.factors import Factors, cost, equality, hinge, inequality, refreshed, soft
from screwgraph.optimize.incremental import Incremental, Updated
from screwgraph.optimize.losses import LOSSES, Cauchy, GemanMcClure, Huber, Loss, Tukey
from screwgraph.optimize.methods import (
    METHODS,
    AugmentedLagrangian,
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
from screwgraph.optimize.progress import shown
from screwgraph.optimize.result import Progress, Result, Status
from screwgraph.optimize.shift import shifted
from screwgraph.optimize.smoothers import FixedLag, Solved
from screwgraph.optimize.solve import solve
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
    "Dogleg",
    "Each",
    "Factors",
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
    "Solved",
    "Status",
    "Tolerances",
    "Tukey",
    "Updated",
    "Variables",
    "Vector",
    "cost",
    "each",
    "equality",
    "hinge",
    "inequality",
    "refreshed",
    "shifted",
    "shown",
    "soft",
    "solve",
]
