"""Dynamic Bayesian networks of multibody motion, and the factor graphs that they become.

Blanco-Claraco et al. (2021), Fig. 1, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.bayes.driven_coordinates import list_driven
from screwgraph.motion.estimation.bayes.factors import FAMILIES, NetworkFactors
from screwgraph.motion.estimation.bayes.given_network import GivenNetwork
from screwgraph.motion.estimation.bayes.known_names import Quantity, parse_knowns
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.mechanism_noise import Noise


class GraphFactor(NamedTuple):
    """A factor by kind, prior, integrator, dynamics, constraints or observation, and the unknowns that it ties."""

    kind: str
    variables: tuple[Quantity, ...]


@dataclass(frozen=True)
class BayesNetwork:
    """Bayes network: nodes, in order, with the kind of their conditional probability and parents."""

    __repr__ = one_line

    parents: Mapping[Quantity, tuple[Quantity, ...]]
    kinds: Mapping[Quantity, str] = field(default_factory=dict)

    def factor_graph(self, known: Iterable[str | Quantity] = ()) -> tuple[GraphFactor, ...]:
        """Return the factor graph given what is known: kinds ("Q") or single quantities.

        Each node becomes a variable, and a factor that ties it to its parents. What is known is no variable but part of
        the factors; those that tie nothing unknown are constant, and left out. Blanco-Claraco et al. (2021), section 5.

        Raises:
            InputError: something known is no quantity of the network.
        """
        given = self._parse_given(known)
        found = []
        for node, parents in self.parents.items():
            variables = tuple(x for x in (*parents, node) if x not in given)
            if variables:
                found.append(GraphFactor(self.kinds[node], variables))
        return tuple(found)

    def unknowns(self, known: Iterable[str | Quantity] = ()) -> tuple[Quantity, ...]:
        """Return the variables of that factor graph. Raises InputError as `factor_graph` does."""
        given = self._parse_given(known)
        return tuple(node for node in self.parents if node not in given)

    @check_arguments
    def given(
        self,
        model: Model,
        *known: str | Quantity,
        solve: Iterable[str] | None = None,
        dt: float | None = None,
        integrator: str = "trapezoidal",
        noise: Noise | None = None,
        sensors: Sequence[Any] | None = None,
    ) -> GivenNetwork:
        """Return a factor graph of a model, robot or mechanism, that can be solved for what is unknown.

        What is known may change from step to step: torques at some, coordinates at others. A coordinate that is known
        at three or more consecutive steps is a path. Where a torque is unknown, the velocities and accelerations of as
        many paths as there are degrees of freedom count as known, too; paths of eight steps or more are smoothed by
        their noise, as those of inverse dynamics are. Coordinates that the model's file drives are known, from t = 0.

        Args:
            model: whose laws the conditional probabilities are.
            known: kinds ("q" at all steps), quantities ("q_0") and single coordinates or joints, motors ("Q") or
                sensors ("o") of them ("q:theta", "Q_2:theta", "o:gyro"). Velocities and accelerations are "qd" and
                "qdd", multipliers of constraints "lambda". Networks of independent coordinates have z, zd, zdd, too;
                Q of robots are efforts of actuators, where there are any, else of all joints but floating ones. The
                assembly branch "C" is known by a closed position on it (nq,); else it is that of the guess.
            solve: kinds that are asked, by default all. A kind that is neither known nor asked is left out where
                nothing known or asked depends on it: without "Q", accelerations obey the constraints only. With "C" all
                branches are looked at, and those that explain what is known are kept, with probabilities.
            dt: time between steps (s).
            integrator: a key of `INTEGRATORS`; "euler" and "trapezoidal" where torques are unknown.
            sensors: what observes the model, as `sg.estimate` takes it, by default the sensors of its file.
            noise: standard deviations; by default those of `Noise` over time. At one instant all laws hold exactly.

        Raises:
            InputError: not a model; a name means nothing or is known twice; no dt.
        """
        steps = 1 + max(node.step for node in self.parents)
        kinds = tuple(dict.fromkeys(node.kind for node in self.parents if node.kind != "C"))
        own = NetworkModel.from_model(model, sensors)
        kinds += ("lambda",) * bool(own.rank)
        found, asked = parse_knowns(own, (*kinds, "C"), steps, known), kinds if solve is None else tuple(solve)
        if "C" in asked and any(one.kind == "C" for one in found):
            raise InputError("the branch C is known, and asked", fix="leave it out of one of both")
        named = tuple(kind for kind in asked if solve is not None or kind in FAMILIES)
        driven = list_driven(own, steps, found, NetworkFactors(own, steps, found, named, "z" in kinds).kinds)
        return GivenNetwork(own, steps, (*found, *driven), named, dt, integrator, noise, "z" in kinds, driven)

    def _parse_given(self, known: Iterable[str | Quantity]) -> set[Quantity]:
        kinds, given = {node.kind for node in self.parents}, set()
        for item in known:
            if isinstance(item, Quantity) and item not in self.parents:
                raise make_unknown_name_error("quantity of the network", str(item), map(str, self.parents))
            if isinstance(item, str) and item not in kinds:
                raise make_unknown_name_error("kind of quantity", item, sorted(kinds))
            given |= {item} if isinstance(item, Quantity) else {node for node in self.parents if node.kind == item}
        return given


def bayes_network(steps: int, coordinates: str = "spanning", observed: bool = False) -> BayesNetwork:
    """Return the network of Fig. 1a ("spanning") or 1b ("independent") over so many steps, with observations or not.

    Raises:
        InputError: no positive number of steps, or another kind of coordinates.
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps = {steps!r} is not a positive whole number")
    if coordinates not in _STEP:
        raise make_unknown_name_error("kind of coordinates", coordinates, _STEP)
    parents: dict[Quantity, tuple[Quantity, ...]] = {}
    kinds: dict[Quantity, str] = {}
    if coordinates == "independent":
        parents[Quantity("C", 0)], kinds[Quantity("C", 0)] = (), "prior"
    for i in range(steps):
        for kind, law, before, now in _STEP[coordinates]:
            if kind == "o" and not observed:
                continue
            node, first = Quantity(kind, i), i == 0 and bool(before)
            kinds[node] = "prior" if first else law
            earlier = () if first else tuple(Quantity(k, i - 1) for k in before)
            parents[node] = earlier + tuple(Quantity(k, 0 if k == "C" else i) for k in now)
    return BayesNetwork(parents, kinds)


_STEP: Mapping[str, tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]] = {
    "spanning": (
        ("Q", "prior", (), ()),
        ("q", "integrator", ("q", "qd"), ()),
        ("qd", "integrator", ("qd", "qdd"), ()),
        ("qdd", "dynamics", (), ("q", "qd", "Q")),
        ("o", "observation", (), ("q", "qd", "qdd")),
    ),
    "independent": (
        ("Q", "prior", (), ()),
        ("z", "integrator", ("z", "zd"), ()),
        ("zd", "integrator", ("zd", "zdd"), ()),
        ("q", "constraints", (), ("z", "C")),
        ("qd", "constraints", (), ("q", "zd")),
        ("zdd", "dynamics", (), ("q", "qd", "Q")),
        ("qdd", "constraints", (), ("q", "qd", "zdd")),
        ("o", "observation", (), ("q", "qd", "qdd")),
    ),
}
"""Of each quantity: its kind, its law, its parents one step before, and those of the same step."""
