"""Optimisation on the constraint manifold beside an interior-point method: cost, violation and time."""

from dataclasses import replace
from time import process_time

import screwgraph as sg
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort, Potential
from screwgraph.motion.planning.goals import Acceleration, Point, Position, Velocity

METHODS = ("interior_point", "constraint_manifold")
REST = Velocity(0.0, "always"), Acceleration(0.0, "always")


def list_tasks():
    """Return tasks by name: a posture of least energy, one of least torque, a motion; of a closed chain."""
    robot = sg.load("five_bar")
    motors = robot.independent_joints
    q = robot.close_loops(robot.neutral())
    goal = robot.complete(q[[robot.q_slices[name].start for name in motors]] + [0.4, -0.3], q)
    still = Task(robot, horizon(1, duration=1.0), goals=REST, collocation="none", actuated=motors)
    reach = Point("end_effector", [0.2], "always", axes="x")
    ends = Position({name: goal[robot.q_slices[name]] for name in motors}), Velocity(0.0)
    return {
        "posture of least energy": replace(still, costs=(Potential(1.0),)),
        "posture of least torque": replace(still, goals=(*REST, reach), costs=(Effort(1.0),)),
        "motion of least torque": Task(
            robot, horizon(20, duration=0.6), start=q, goals=ends, costs=(Effort(1.0),), actuated=motors
        ),
    }


def main():
    """Print a row for each method and task: at the end, and where the search is stopped after three iterations."""
    print(f"{'task':<26}{'method':<22}{'cost':>10}{'violation':>11}{'time':>9}{'after 3: cost':>15}{'violation':>11}")
    for name, task in list_tasks().items():
        for method in METHODS:
            planner = Planner(task)
            planner.solve(method=method)  # makes code
            begun = process_time()
            plan = planner.solve(method=method)
            passed = 1e3 * (process_time() - begun)
            few = planner.solve(method=method, iterations=3)
            row = f"{plan.cost:>10.4f}{plan.violation:>11.0e}{passed:>6.0f} ms{few.cost:>15.4f}{few.violation:>11.0e}"
            print(f"{name:<26}{method:<22}{row}{'' if plan.converged else '  ' + str(plan.status)}")


if __name__ == "__main__":
    main()
