"""Symbolic elimination: orders, the engine, the DAG and its clique tree."""

from screwgraph.elimination import orderings
from screwgraph.elimination.block import Block
from screwgraph.elimination.clique_tree import Clique, CliqueTree
from screwgraph.elimination.dag import Dag, eliminate
from screwgraph.elimination.engine import Elimination, Step, eliminate_rows
from screwgraph.elimination.orderings.base import Ordering
from screwgraph.elimination.states import State
from screwgraph.elimination.values import Equations, equations

__all__ = [
    "Block",
    "Clique",
    "CliqueTree",
    "Dag",
    "Elimination",
    "Equations",
    "Ordering",
    "State",
    "Step",
    "eliminate",
    "eliminate_rows",
    "equations",
    "orderings",
]
