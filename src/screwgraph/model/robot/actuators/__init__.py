"""Kinds of actuators: one file each; a new one is a new file, and a line in `ACTUATORS` where files may name it."""

from collections.abc import Mapping

from screwgraph.model.robot.actuator import Actuator
from screwgraph.model.robot.actuators.cable import Cable
from screwgraph.model.robot.actuators.force_law import WORDS, FormulaLaw
from screwgraph.model.robot.actuators.loop_motor import LoopMotor
from screwgraph.model.robot.actuators.thruster import Thruster
from screwgraph.model.robot.actuators.transmission import Transmission

ACTUATORS: Mapping[str, type[Actuator]] = {
    "terms": Transmission,
    "displacement": Transmission,
    "loop": LoopMotor,
    "cable": Cable,
}
"""Kinds by the key that tells them apart in files."""

__all__ = ["ACTUATORS", "WORDS", "Cable", "FormulaLaw", "LoopMotor", "Thruster", "Transmission"]
