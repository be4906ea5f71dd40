"""A teacher: graph, elimination, three orders, drawings that show themselves."""

from pathlib import Path

import screwgraph as sg

robot = sg.load("rrr")
graph = sg.dynamics_graph(robot)
sg.draw.draw_graph(graph).savefig("graph.svg")
for problem, order in (("inverse", "rnea"), ("forward", "aba"), ("forward", "crba")):
    ask = sg.inverse_dynamics if problem == "inverse" else sg.forward_dynamics
    function = ask(robot, ordering=order)
    assert function.ordering == order
    sg.draw.draw_dag(function.dag).savefig(f"{order}.svg")
    assert "<svg" in Path(f"{order}.svg").read_text()
    assert function.algorithm()
