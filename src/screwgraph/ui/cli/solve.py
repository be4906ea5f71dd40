"""`screwgraph solve`: inverse, forward or hybrid dynamics at given or random states."""

from __future__ import annotations

import numpy as np

from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import make_usage_error, print_json, show_progress
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.problem_functions import (
    EFFORT,
    check_accelerations,
    check_actuated,
    check_effort_limits,
    check_efforts,
    compile_problem_function,
    name_third_argument,
)
from screwgraph.ui.cli.solve_mechanism import print_solution, solve_mechanism, to_values
from screwgraph.ui.cli.solve_result import SolveResult, print_answer, to_json
from screwgraph.ui.cli.state import check_closed, random_state
from screwgraph.ui.cli.state_file import read_state

FLAGS = {
    "actuated": Flag(
        "Inverse only: a joint that drives the robot, by default the independent ones (with --actuators: an "
        "actuator); where there are more than degrees of freedom, torques have the minimum norm.",
        "JOINT",
    ),
    "effort_limits": Flag("Inverse with --actuators only: the least efforts within the bounds of actuators."),
    "algorithm": Flag("Also print the elimination as numbered assignments."),
}

STATE_EXAMPLE = """{"q": [0, 0.1, 0.2, 0, 0, 0], "qd": {"joint1": 0.5}, "given": {"joint1": 1, "joint3": -2},
   "external_wrenches": {"link6": [0, 0, 0, 0, 0, 9.81]}}"""

HELP = f"""\b
inverse: accelerations are given (qdd), the result is torques and forces (tau);
forward: tau is given, the result is qdd;
hybrid:  qdd is given for the joints of --accelerations, tau for the others.

\b
Example:
  screwgraph solve puma560 --problem inverse
  screwgraph solve a1 --base floating --problem forward --random 3 --seed 7 --json
  screwgraph solve four_bar_linkage --problem inverse --actuated joint1,joint3
  screwgraph solve slider_crank --problem forward --random 2
  screwgraph solve puma560 --problem hybrid --accelerations joint1,joint2 --state state.json
with a state.json like
  {STATE_EXAMPLE}

The entries of a state are q, qd, the known variables of the problem (qdd, tau, given; effort of actuators) and
external_wrenches (moment, force) on links or frames, in SI units: lists in the order of the coordinates, lists of
lists for several states, or mappings from joints. Missing entries are zero, missing positions neutral. A floating base
has q = (x y z, qx qy qz qw) and qd = (angular, linear velocity) in its own frame. q must close the loops, and qd must
satisfy their velocity constraints. Planar mechanisms take q, qd and qdd of some coordinates, which determine the
others, tau and given of motors; their loops are closed near q.
"""


def solve(
    source: ModelSource,
    problem: str,
    accelerations: tuple[str, ...] = (),
    actuated: tuple[str, ...] = (),
    actuators: bool = False,
    effort_limits: bool = False,
    state: str | None = None,
    random: int | None = None,
    seed: int | None = None,
    ordering: str = "auto",
    external_wrenches: tuple[str, ...] = (),
    algorithm: bool = False,
    json: bool = False,
) -> None:
    """Print the answer at each state, as tables or as JSON."""
    if state is not None and (random is not None or seed is not None):
        raise make_usage_error("--state cannot be used with --random and --seed", fix="give one of them")
    driving = actuated or None
    check_accelerations(problem, accelerations)
    check_actuated(problem, driving)
    check_effort_limits(problem, actuators, effort_limits)
    if source.is_mechanism:
        if external_wrenches:
            fix = "write forces: into the mechanism's file"
            raise make_usage_error("--external-wrenches goes with robots", fix=fix)
        where, mechanism = (state, random, seed or 0), source.load_mechanism()
        check_efforts(problem, actuators, mechanism)
        solution = solve_mechanism(mechanism, problem, accelerations, driving, ordering, where)
        return print_json(to_values(solution, algorithm)) if json else print_solution(solution, algorithm)
    model = source.load_robot()
    check_efforts(problem, actuators, model)
    given = name_third_argument(problem, actuators)
    if state is None:
        efforts = len(model.actuators) if given == EFFORT else None
        at = random_state(model, external_wrenches, random, seed or 0, efforts)
    else:
        at = read_state(state, model, given, external_wrenches)
        check_closed(model, at.q, at.qd, state)
    function = compile_problem_function(
        model, problem, accelerations, ordering, at.frames, driving, actuators, effort_limits=effort_limits
    )
    with show_progress("solving"), np.errstate(all="ignore"):  # the answer itself shows what is not finite
        result = function(at.q, at.qd, at.given, *((at.wrenches,) if at.frames else ()))
    answer = SolveResult(model, problem, accelerations, function, at, result, driving, actuators)
    print_warnings(model)
    return print_json(to_json(answer, algorithm)) if json else print_answer(answer, algorithm)


COMMAND = Command(solve, HELP, FLAGS, model=ROBOT)
