"""Symbolic elimination: orders, the engine, the DAG and its clique tree."""

from screwgraph.elimination import orderings
from screwgraph.elimination.block import Block
from screwgraph.elimination.clique_tree import Clique, CliqueTree
from screwgraph.elimination.cost import cost
from screwgraph.elimination.dag import Dag, eliminate
from screwgraph.elimination.engine import Elimination, eliminate_rows
from screwgraph.elimination.group import Group
from screwgraph.elimination.moves import Plan, halves
from screwgraph.elimination.notation import FORMS, Line
from screwgraph.elimination.orderings.base import Ordering, as_groups
from screwgraph.elimination.parallelism import Parallelism
from screwgraph.elimination.search import ROUND, Found, search, spread
from screwgraph.elimination.states import State
from screwgraph.elimination.system import Step
from screwgraph.elimination.values import Equations, equations

__all__ = [
    "FORMS",
    "ROUND",
    "Block",
    "Clique",
    "CliqueTree",
    "Dag",
    "Elimination",
    "Equations",
    "Found",
    "Group",
    "Line",
    "Ordering",
    "Parallelism",
    "Plan",
    "State",
    "Step",
    "as_groups",
    "cost",
    "eliminate",
    "eliminate_rows",
    "equations",
    "halves",
    "orderings",
    "search",
    "spread",
]
