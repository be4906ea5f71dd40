"""The factor graph: variables, factors, and what of it is known.

A graph remembers the robot whose dynamics its laws state, and how it was edited since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import EliminationError, InputError
from screwgraph.base.summary import one_line
from screwgraph.graph.dependent_joints import JointDependence
from screwgraph.graph.factor import Factor, Law
from screwgraph.graph.factors import tied_velocities
from screwgraph.graph.inequality import Inequality
from screwgraph.graph.variable import Key, Variable
from screwgraph.graph.variable_kinds import COORDINATES, Role
from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.parameters import Parameter


@dataclass(frozen=True)
class Derived:
    """A variable that the knowns determine before elimination, and the factor that does it; `others` along with it."""

    __repr__ = one_line

    key: Key
    factor: Factor
    others: tuple[Key, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        """All variables that the factor determines together."""
        return (self.key, *self.others)


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """A bipartite graph of variables and factors.

    `known` are the parameters: variables that are given from outside, or follow from these (`derived`,
    in an order in which they can be computed: the twists and the directions of gravity).
    `factors` are the equations that are left. `dependence` tells which velocities of a closed chain follow from others,
    `model` which robot the laws are those of, and how the graph was edited. `inequalities` are no equations: what is
    free is chosen within them (`with_bounds`, `with_inequality`).
    """

    __repr__ = one_line

    _repr_html_ = html_display.html
    _repr_svg_ = html_display.svg

    variables: Mapping[Key, Variable]
    factors: tuple[Factor, ...]
    known: frozenset[Key] = frozenset()
    derived: tuple[Derived, ...] = field(default=())
    dependence: JointDependence | None = None
    model: EditedModel | None = None
    inequalities: tuple[Inequality, ...] = ()

    @property
    def unknowns(self) -> tuple[Variable, ...]:
        """The variables to be found."""
        return tuple(v for key, v in self.variables.items() if key not in self.known)

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """The variables that are given from outside."""
        derived = {key for d in self.derived for key in d.keys}
        return tuple(v for key, v in self.variables.items() if key in self.known and key not in derived)

    @cached_property
    def factors_of(self) -> Mapping[Key, tuple[Factor, ...]]:
        """The factors that touch each variable."""
        touching: dict[Key, list[Factor]] = {key: [] for key in self.variables}
        for factor in self.factors:
            for key in factor.keys:
                touching[key].append(factor)
        return {key: tuple(factors) for key, factors in touching.items()}

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints of the laws, parents first."""
        found: dict[str, tuple[int, Joint]] = {}
        for f in (*self.factors, *(derived.factor for derived in self.derived)):
            joint = f.parameters.get("joint")
            if isinstance(joint, Joint):  # added laws come last: passes may have given links other names than theirs
                found.setdefault(joint.name, (f.index, joint))
        return tuple(joint for _, joint in sorted(found.values(), key=lambda pair: pair[0]))

    def unknown_keys(self, factor: Factor) -> tuple[Key, ...]:
        """Return the variables of a factor that are to be found."""
        return tuple(key for key in factor.keys if key not in self.known)

    @check_arguments
    def neighbours(self, key: Key) -> tuple[Key, ...]:
        """Return the unknowns that share a factor with a variable."""
        near = (k for factor in self.factors_of[key] for k in self.unknown_keys(factor))
        return tuple(dict.fromkeys(k for k in near if k != key))

    @check_arguments
    def select(self, names: Iterable[str | Key]) -> tuple[Key, ...]:
        """Return the variables that names mean: a kind (`"qdd"`) or one variable (`"qdd:joint1"`).

        Of a robot without joints, kinds of coordinates mean none.

        Raises:
            InputError: a name means nothing in this graph.
        """
        names = [names] if isinstance(names, str | Key) else list(names)
        return tuple(dict.fromkeys(key for name in names for key in self._find_keys(name)))

    @check_arguments
    def given(self, *names: str | Key) -> FactorGraph:
        """Declare variables as known, and drop what then is constant (Xie & Dellaert (2019), Figs 3, 4a, 6a, 8, 9a).

        A variable that is known through a prior, a pose of known positions, or what some law is not linear in and one
        factor determines, becomes derived. Equations are never dropped unless they determine such a variable, or are
        those of a loop or coupling all of whose joints' rates are given: these must keep it then.

        Raises:
            InputError: a name means nothing in this graph.
            EliminationError: a variable that enters a law nonlinearly stays unknown.
        """
        empty = {key for key, variable in self.variables.items() if variable.dim == 0}  # of welded joints
        known = set(self.known) | set(self.select(names)) | empty
        derived = list(self.derived)
        factors = list(self.factors)
        progress = True
        while progress:
            progress = False
            for factor in tuple(factors):
                keys = self._find_determined(factor, known)
                if keys:
                    derived.append(Derived(keys[0], factor, keys[1:]))
                    known.update(keys)
                    factors.remove(factor)
                    progress = True
        factors = [factor for factor in factors if not _is_kept_by(factor, known)]
        graph = replace(self, factors=tuple(factors), known=frozenset(known), derived=tuple(derived))
        graph.check_linear()
        return graph

    def factor(self, name: str) -> Factor:
        """Return a factor by template and variable: `"torque:joint3"`, `"wrench:link5"`, `"loop:left"`.

        Raises:
            InputError: no factor, or more than one, has that name.
        """
        template, _, owner = str(name).partition(":")
        every = [f for f in (*self.factors, *(d.factor for d in self.derived)) if f.template.name == template]
        first = [f for f in every if owner in (f.keys[0].name, *([f.multiplier.name] if f.multiplier else []))]
        found = first or [f for f in every if any(key.name == owner for key in f.keys)]
        if len(found) != 1:
            names = ", ".join(f"'{f.template.name}:{f.keys[0].name}'" for f in (found or every or self.factors)[:6])
            raise InputError(
                f"{len(found) or 'no'} factors are called {name!r}",
                fix=f"name one as template:variable, such as {names}",
            )
        return found[0]

    @check_arguments
    def with_factors(self, *factors: Factor) -> FactorGraph:
        """Return a graph with more factors.

        Raises:
            InputError: a factor is bound to a variable that the graph does not have.
        """
        for factor in factors:
            for key in factor.keys:
                if key not in self.variables:
                    raise InputError(
                        f"factor {factor.name!r} touches {key}, which is not in the graph",
                        fix="add it first: graph.with_variables(sg.Variable(sg.Key(kind, name), dim))",
                    )
        model = self.model and replace(self.model, added=(*self.model.added, *factors))
        return replace(self, factors=(*self.factors, *factors), model=model)

    @check_arguments
    def with_variables(self, *variables: Variable) -> FactorGraph:
        """Return a graph with more variables, on any manifold; vectors unless they say otherwise."""
        model = self.model and replace(self.model, variables=(*self.model.variables, *variables))
        return replace(self, variables={**self.variables, **{v.key: v for v in variables}}, model=model)

    @check_arguments
    def without(self, *factors: str | Factor) -> FactorGraph:
        """Return a graph without some factors, given as such or by `factor`'s names.

        Raises:
            InputError: the graph has no such factor, or used it already to derive what is known.
        """
        graph = self
        for given in factors:
            factor = graph.factor(given) if isinstance(given, str) else given
            if not any(f is factor for f in graph.factors):
                raise InputError(
                    f"factor {factor.name!r} is not in the graph",
                    why="what determines a known variable is used up by `given`",
                    fix="edit the graph first, then declare what is given",
                )
            rest = tuple(f for f in graph.factors if f is not factor)
            graph = replace(graph, factors=rest, model=graph.model and _remove_factor(graph.model, factor))
        return graph

    @check_arguments
    def replaced(self, old: str | Factor, new: Factor) -> FactorGraph:
        """Return a graph with one factor in the place of another. Raises InputError as its two steps do."""
        return self.without(old).with_factors(new)

    def __str__(self) -> str:
        lines = [f"{len(self.unknowns)} unknowns, {len(self.inputs)} inputs, {len(self.factors)} factors"]
        for factor in self.factors:
            unknown = ", ".join(self.variables[k].label for k in self.unknown_keys(factor))
            given = ", ".join(self.variables[k].label for k in factor.keys if k in self.known)
            soft = f"   sigma {_list_deviations(factor)}" if factor.sigma else ""
            lines.append(f"  {factor.name:<20} {unknown}" + (f"   given {given}" if given else "") + soft)
        for one in self.inequalities:
            keys = ", ".join(self.variables[key].label for key in one.factor.keys)
            lines.append(f"  {one.factor.name:<20} {keys}   {one}")
        return "\n".join(lines)

    def _find_keys(self, name: str | Key) -> tuple[Key, ...]:
        if isinstance(name, Key) and name in self.variables:
            return (name,)
        found = tuple(key for key in self.variables if str(key) == str(name) or key.kind == name)
        if not found and not (self.model and not self.model.robot.joints and name in COORDINATES):
            kinds = ", ".join(dict.fromkeys(key.kind for key in self.variables))
            example = next(iter(self.variables), None)
            raise InputError(
                f"no variable is called {str(name)!r}",
                why=f"the graph has the kinds {kinds}",
                fix=f"name a kind, or one variable such as {str(example)!r}",
            )
        return found

    def _find_determined(self, factor: Factor, known: set[Key]) -> tuple[Key, ...]:
        """Return the variables that a factor fixes from knowns, if they have to be known before elimination."""
        unknown = [key for key in factor.keys if key not in known]
        if factor.sigma or (len(unknown) != 1 and factor.template is not tied_velocities):
            return ()
        dim = sum(self.variables[key].dim for key in unknown)
        if dim != factor.rows or not all(factor.is_linear_in(key) for key in unknown):
            return ()
        is_prior = factor.template.name == "prior"
        waits = any(self._is_linear(key) and key.role is not Role.POSE for key in unknown)
        return () if waits and not is_prior else tuple(unknown)

    def _is_linear(self, key: Key) -> bool:
        """Whether every law takes a variable linearly."""
        return all(f.is_linear_in(key) for f in self.factors_of[key])

    def check_linear(self) -> None:
        """Raise EliminationError where a variable that enters a factor nonlinearly is unknown."""
        for factor in self.factors:
            for key in factor.keys:
                if key not in self.known and not factor.is_linear_in(key):
                    raise EliminationError(
                        f"{key} is unknown, and {factor.name!r} is not linear in it",
                        why="elimination solves linear equations",
                        fix="declare it as given, or solve the graph as a nonlinear problem",
                    )


@dataclass(frozen=True, eq=False)
class EditedModel:
    """A robot, and what a graph has beyond and without its laws.

    `external_wrenches` names the links or frames on which these act, `actuators` those whose efforts cause the torques,
    `weights` those of joints, or of these actuators, that share their work where there are more than degrees of
    freedom. `poses` names the links or frames whose poses are variables. `parameters` of the robot are inputs.
    `variables` and `added` are of other origin, `absent` are the robot's laws that were taken out. With `given_motion`,
    all accelerations are known, and obey the laws of loops and couplings (`with_given_motion`).
    """

    __repr__ = one_line

    robot: Robot
    external_wrenches: tuple[str, ...] = ()
    actuators: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    poses: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    variables: tuple[Variable, ...] = ()
    added: tuple[Factor, ...] = ()
    absent: frozenset[Law] = frozenset()
    given_motion: bool = False


def _remove_factor(model: EditedModel, factor: Factor) -> EditedModel:
    added = tuple(f for f in model.added if f is not factor)
    if len(added) < len(model.added):
        return replace(model, added=added)
    return replace(model, absent=model.absent | {factor.law})


def _list_deviations(factor: Factor) -> str:
    """Return standard deviations of a soft factor, or the argument that holds them."""
    return factor.scale.kind if factor.scale else ", ".join(f"{s:g}" for s in dict.fromkeys(factor.sigma))


def _is_kept_by(factor: Factor, known: set[Key]) -> bool:
    """Whether an exact law ties nothing but joints of known rates."""
    if factor.sigma:
        return False
    law = factor.parameters.get("chain") or factor.parameters.get("coupling")
    if law is not None and factor.multiplier is not None:
        return all(Key("qdd", joint.name) in known for joint in law.joints)
    return factor.template is tied_velocities and known.issuperset(factor.keys)
