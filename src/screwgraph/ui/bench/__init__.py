"""Measuring our functions, and other libraries beside them."""

from screwgraph.ui.bench.benchmark_query import QUESTIONS, BenchmarkQuery, States, random_states
from screwgraph.ui.bench.machine import Machine, Roofline, describe_machine, measure_roofline
from screwgraph.ui.bench.measure import Budget, fast_code, measure_nanoseconds, time_call
from screwgraph.ui.bench.own_functions import (
    GAP,
    Measurement,
    count_operations,
    evaluate_functions,
    fresh_cache,
    measure_functions,
    relative_error,
    time_batch,
    time_blocked_batch,
    time_single_call,
    to_columns,
    to_padded_columns,
    to_rows,
)
from screwgraph.ui.bench.peers import PYTHON_PEERS, Case, NotMeasuredError, Peer, PeerResult, import_peer
from screwgraph.ui.bench.robot_tree import Body, Tree, make_depth_first_tree
from screwgraph.ui.bench.survey import PeerComparison, SurveyResult, group_by_reason, measure_query

__all__ = [
    "GAP",
    "PYTHON_PEERS",
    "QUESTIONS",
    "BenchmarkQuery",
    "Body",
    "Budget",
    "Case",
    "Machine",
    "Measurement",
    "NotMeasuredError",
    "Peer",
    "PeerComparison",
    "PeerResult",
    "Roofline",
    "States",
    "SurveyResult",
    "Tree",
    "count_operations",
    "describe_machine",
    "evaluate_functions",
    "fast_code",
    "fresh_cache",
    "group_by_reason",
    "import_peer",
    "make_depth_first_tree",
    "measure_functions",
    "measure_nanoseconds",
    "measure_query",
    "measure_roofline",
    "random_states",
    "relative_error",
    "time_batch",
    "time_blocked_batch",
    "time_call",
    "time_single_call",
    "to_columns",
    "to_padded_columns",
    "to_rows",
]
