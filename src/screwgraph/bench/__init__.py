"""Measuring our functions, and other libraries beside them."""

from screwgraph.bench.fast_code import fast_code
from screwgraph.bench.fresh_cache import fresh_cache
from screwgraph.bench.machine import Machine, machine
from screwgraph.bench.measure import Effort, nanoseconds, seconds_of
from screwgraph.bench.own_functions import (
    GAP,
    Measurement,
    answers,
    blocked_sample,
    call,
    columns,
    columns_apart,
    error,
    measured,
    operations,
    rows,
    sample,
)
from screwgraph.bench.peers import PYTHON_PEERS, Case, Measured, NotMeasuredError, Peer, import_peer
from screwgraph.bench.question import QUESTIONS, Question, States, random_states
from screwgraph.bench.reasons import gathered
from screwgraph.bench.roofline import Roofline, roofline
from screwgraph.bench.survey import Compared, Surveyed, survey
from screwgraph.bench.tree import Body, Tree, tree

__all__ = [
    "GAP",
    "PYTHON_PEERS",
    "QUESTIONS",
    "Body",
    "Case",
    "Compared",
    "Effort",
    "Machine",
    "Measured",
    "Measurement",
    "NotMeasuredError",
    "Peer",
    "Question",
    "Roofline",
    "States",
    "Surveyed",
    "Tree",
    "answers",
    "blocked_sample",
    "call",
    "columns",
    "columns_apart",
    "error",
    "fast_code",
    "fresh_cache",
    "gathered",
    "import_peer",
    "machine",
    "measured",
    "nanoseconds",
    "operations",
    "random_states",
    "roofline",
    "rows",
    "sample",
    "seconds_of",
    "survey",
    "tree",
]
