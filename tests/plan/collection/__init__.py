"""Random tasks of planning, by kind; each is planned and given to IPOPT from the same guess."""

from .kinds import KINDS, Kind
from .verdicts import Verdict, compared

__all__ = ["KINDS", "Kind", "Verdict", "compared"]
