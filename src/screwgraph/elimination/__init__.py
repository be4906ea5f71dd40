"""Symbolic elimination: orders, the engine, the DAG and its clique tree."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.elimination import orderings
from screwgraph.elimination.block import Block
from screwgraph.elimination.clique_tree import Clique, CliqueTree
from screwgraph.elimination.cost import cost
from screwgraph.elimination.dag import Dag, eliminate
from screwgraph.elimination.engine import Elimination, eliminate_rows
from screwgraph.elimination.equations import Equations, equations
from screwgraph.elimination.group import Group
from screwgraph.elimination.intermediate_graphs import IntermediateGraph
from screwgraph.elimination.notation import FORMS, Line
from screwgraph.elimination.orderings.base import Ordering, as_groups
from screwgraph.elimination.parallelism import Parallelism
from screwgraph.elimination.plan_moves import Plan, splice_plans
from screwgraph.elimination.search import ROUND, SearchResult, evaluate_on_executor, search
from screwgraph.elimination.system import Step

__all__ = [
    "FORMS",
    "ROUND",
    "Block",
    "Clique",
    "CliqueTree",
    "Dag",
    "Elimination",
    "Equations",
    "Group",
    "IntermediateGraph",
    "Line",
    "Ordering",
    "Parallelism",
    "Plan",
    "SearchResult",
    "Step",
    "as_groups",
    "cost",
    "eliminate",
    "eliminate_rows",
    "equations",
    "evaluate_on_executor",
    "orderings",
    "search",
    "splice_plans",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
