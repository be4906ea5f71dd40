"""Numbers of the interior point that go on from one call to the next, moved to the present.

A stage's slacks and multipliers belong to the bounds of its inputs: forces of contacts that are on, accelerations of
legs whose contacts are off. Where contacts were others in both stages of the last solution between which it now lies,
its numbers begin afresh: a slack of 1e6 from a swing would stop every step of a stance, whose slacks are some newtons.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.control.predictive.step_search import ENDLESS
from screwgraph.optimize.chain_program import ChainProgram
from screwgraph.spatial import choose, largest_size
from screwgraph.tape import Memory, Number, Part, SideBySide, StageLoop, Window

AFRESH = 2.0 * ENDLESS
"""A number with which the solver does not go on."""


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Parts that move the slacks and multipliers of N stages.

    Stage k of the last solution stands in `previous` at `first` + k `size`: [u, next state | switches | numbers], where
    `inputs` are the numbers before the switches. `windows` moves what belongs to stages.
    """

    memory: Memory
    chain: ChainProgram
    stages: int
    first: int
    size: int
    inputs: int
    switches: int
    windows: Callable[..., tuple[Window, ...]]

    def parts(self) -> tuple[Part, ...]:
        """Return what moves them, one after the other in each stage; the last stage keeps its own."""
        if not self.chain.sizes["numbers"]:
            return ()
        last = self.stages - 1
        return StageLoop(last, self._move(0, 1), self.windows("previous")), *self._move(last, 0)

    def _move(self, k: int, later: int) -> tuple[Part, ...]:
        memory, own, start = self.memory, self.chain.stage("numbers", k), self.first + k * self.size
        starts = {"now": start, "then": start + later * self.size}
        for name, place in starts.items():
            memory.alias(name, memory.places("previous")[place + self.inputs + self.switches :][:1])
        memory.alias("own", own[:1])
        places = dict.fromkeys(memory.places(name).start for name in ("now", "then", "own"))
        given = ["now", "then", "warm", "share", *["fits"] * bool(self.switches)]
        blend = memory.block("shift", given, ["own"], blend_numbers)
        loop = SideBySide(len(own), (blend,), tuple(Window(place, 1, 1) for place in places))
        if not self.switches:
            return (loop,)
        for name, place in starts.items():
            memory.alias(f"{name}_switches", memory.places("previous")[place + self.inputs :][: self.switches])
        memory.alias("own_switches", memory.places("contacts")[k * self.switches :][: self.switches])
        given = ["own_switches", "now_switches", "then_switches"]
        return memory.block("fit", given, ["fits"], compare_switches), loop


def compare_switches(own: Any, now: Any, then: Any) -> list[Number]:
    """Return whether contacts are on and off as in the one, and as in the other stage of the last solution."""
    ways = ([a - b for a, b in zip(own[::2], last[::2], strict=True)] for last in (now, then))
    return [choose(largest_size(way) < 0.5, 1.0, 0.0) for way in ways]


def blend_numbers(now: Any, then: Any, warm: Any, share: Any, fits: Any = None) -> list[Number]:
    """Return a number between those of two stages, that of the only one which fits, or one that begins afresh."""
    found: Number = now[0] + share[0] * (then[0] - now[0])
    if fits is not None:
        first, second = fits[0] > 0.5, fits[1] > 0.5
        found = choose(second, choose(first, found, then[0]), choose(first, now[0], AFRESH))
    return [choose(warm[0] > 0.5, found, 0.0)]
