"""The acrobot swings up: torque at its elbow only, at most 20 N m.

Run: python examples/acrobot.py; the picture and the animation go to out/.
"""

from __future__ import annotations

from pathlib import Path

import screwgraph as sg
from screwgraph.ui.draw import draw_motion, save
from screwgraph.ui.view import plan_scene, save_html

OUT = Path("out")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    plan = sg.plan("acro")
    print(plan)
    save(draw_motion(plan, ("q", "qd", "tau")), OUT / "acrobot-plan.svg")
    save_html(plan_scene(plan), OUT / "acrobot-plan.html")


if __name__ == "__main__":
    main()
