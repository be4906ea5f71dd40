"""Our function of a chain in a fresh process: `python -m benchmarks.chain_probe CHAIN QUESTION ...` prints JSON."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from benchmarks.chains import CHAINS
from benchmarks.native import find_compiler
from benchmarks.peers.ours_in_c import OursInC
from screwgraph.ui.bench import QUESTIONS, Budget, count_operations, random_states


def main(arguments: list[str]) -> None:
    """Print operations, CPU seconds from robot to machine code, and ns a call; write answers at the states."""
    name, asked, count, seconds, compiler, answers = arguments
    robot = CHAINS[name]()
    question = next(q for q in QUESTIONS if q.name == asked)
    states = random_states(robot, int(count))
    start = time.process_time()
    functions = question.functions(robot)
    for f in functions:
        f(*(a[0] for a in states.arguments(f)))
    taken = time.process_time() - start
    ours = OursInC(find_compiler(compiler or None), lambda line: None)
    found = ours.machine_code(functions, states, Budget(seconds=float(seconds)))
    np.save(answers, found.answers)
    print(json.dumps({"operations": count_operations(functions), "cold": taken, "nanoseconds": found.nanoseconds}))


if __name__ == "__main__":
    main(sys.argv[1:])
