"""`screwgraph solve`: inverse, forward or hybrid dynamics at given or random states."""

from __future__ import annotations

from typing import Annotated

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.usage_errors import make_usage_error

LARGEST_COUNT = 100_000

StateFile = Annotated[
    str | None, typer.Option("--state", metavar="FILE", help="A JSON file of states; see the example.")
]
Count = Annotated[
    int | None,
    typer.Option("--random", metavar="N", min=1, max=LARGEST_COUNT, help="Number of random states; default: 1."),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="S", min=0, help="Seed of random states; default: 0.")]
Algorithm = Annotated[bool, typer.Option("--algorithm", help="Also print the elimination as numbered assignments.")]

STATE_EXAMPLE = """{"q": [0, 0.1, 0.2, 0, 0, 0], "qd": {"joint1": 0.5}, "given": {"joint1": 1, "joint3": -2},
   "external_wrenches": {"link6": [0, 0, 0, 0, 0, 9.81]}}"""

HELP = f"""Solve inverse, forward or hybrid dynamics.

\b
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
    context: typer.Context,
    robot: options.RobotName,
    problem: options.ProblemKind,
    accelerations: options.Accelerations = None,
    actuated: options.Actuated = None,
    actuators: options.Actuators = False,
    state: StateFile = None,
    random: Count = None,
    seed: Seed = None,
    ordering: options.OrderingName = "auto",
    external_wrenches: options.ExternalWrenches = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    algorithm: Algorithm = False,
    json: options.AsJson = False,
) -> None:
    """Print the answer at each state, as tables or as JSON."""
    import numpy as np

    from screwgraph.model.load import is_mechanism
    from screwgraph.ui.cli.closed_states import check_closed
    from screwgraph.ui.cli.console import print_json, show_progress
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options
    from screwgraph.ui.cli.problem_functions import (
        EFFORT,
        check_accelerations,
        check_actuated,
        check_efforts,
        compile_problem_function,
        name_third_argument,
    )
    from screwgraph.ui.cli.solve_mechanism import print_solution, solve_mechanism, to_values
    from screwgraph.ui.cli.solve_result import SolveResult, to_json
    from screwgraph.ui.cli.solve_tables import print_answer
    from screwgraph.ui.cli.state import random_state
    from screwgraph.ui.cli.state_file import read_state

    if state is not None and (random is not None or seed is not None):
        raise make_usage_error(context, "--state cannot be used with --random and --seed", fix="give one of them")
    named = options.split_names(accelerations)
    driving = options.split_names(actuated) if actuated else None
    check_accelerations(context, problem, named)
    check_actuated(context, problem, driving)
    if is_mechanism(robot):
        refuse_robot_options(
            context, lock, independent, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
        if external_wrenches:
            raise make_usage_error(
                context, "--external-wrenches goes with robots", fix="write forces: into the mechanism's file"
            )
        where, mechanism = (state, random, seed or 0), load_mechanism_with_values(robot)
        check_efforts(context, problem, actuators, mechanism)
        solution = solve_mechanism(mechanism, problem, named, driving, ordering or "auto", where)
        return print_json(to_values(solution, algorithm)) if json else print_solution(solution, algorithm)
    model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
    check_efforts(context, problem, actuators, model)
    frames, given = options.split_names(external_wrenches), name_third_argument(problem, actuators)
    at = (
        random_state(model, frames, random, seed or 0, len(model.actuators) if given == EFFORT else None)
        if state is None
        else read_state(state, model, given, frames)
    )
    if state is not None:
        check_closed(model, at.q, at.qd, state)
    function = compile_problem_function(model, problem, named, ordering or "auto", at.frames, driving, actuators)
    with show_progress("solving"), np.errstate(all="ignore"):  # the answer itself shows what is not finite
        result = function(at.q, at.qd, at.given, *((at.wrenches,) if at.frames else ()))
    answer = SolveResult(model, problem, named, function, at, result, driving, actuators)
    options.print_warnings(model)
    if json:
        print_json(to_json(answer, algorithm))
    else:
        print_answer(answer, algorithm)
    return None
