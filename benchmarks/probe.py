"""What a fresh process takes, as JSON: `python -m benchmarks.probe ROBOT QUESTION` (or nothing: the import alone)."""

from __future__ import annotations

import json
import sys
import time


def main(arguments: list[str]) -> None:
    """Print CPU seconds of the import, of elimination, and of machine code and first call."""
    start = time.process_time()
    import screwgraph as sg

    taken = {"import": time.process_time() - start}
    if arguments:
        from benchmarks.subjects import chosen
        from screwgraph.ui.bench import QUESTIONS, random_states

        name, asked = arguments
        robot: sg.Robot = chosen([name])[0][1]
        question = next(q for q in QUESTIONS if q.name == asked)
        states = random_states(robot, 1)
        start = time.process_time()
        functions = question.functions(robot)
        taken["elimination"] = time.process_time() - start
        start = time.process_time()
        for f in functions:
            f(*states.arguments(f))
        taken["machine code"] = time.process_time() - start
    print(json.dumps(taken))


if __name__ == "__main__":
    main(sys.argv[1:])
