"""The part of the node that knows nothing of ROS: which arguments have come, and the functions whose all have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from screwgraph.compiler.backends.base import ExportedFunction, Library
from screwgraph.compiler.backends.c.interface import (
    Interface,
    make_interfaces,
    name_parameter_fields,
    name_parameter_type,
)
from screwgraph.compiler.backends.c.operations import SCALARS, format_number
from screwgraph.compiler.backends.c.source_text import name_nominal_parameters
from screwgraph.compiler.backends.escapes import in_comment, in_string
from screwgraph.compiler.signature import PARAMETERS, Argument

CORE = """// {about}: made by screwgraph. Arguments that have come, and functions whose arguments all have; no ROS.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "{name}.h"

namespace {name} {{

class Core {{
public:
    // Arguments that are set by name; those with values of a file begin with these.
    static const std::vector<std::string> &arguments() {{
        static const std::vector<std::string> names = {{{arguments}}};
        return names;
    }}

    // Live parameters that are set by name.
    static const std::vector<std::string> &parameters() {{
        static const std::vector<std::string> names = {{{parameters}}};
        return names;
    }}

    // Joints of one position and one velocity each, in the order of q and qd; empty where others have more.
    static const std::vector<std::string> &joints() {{
        static const std::vector<std::string> names = {{{joints}}};
        return names;
    }}

    // How many numbers an argument has; 0 where there is none of this name.
    static std::size_t size(const std::string &argument) {{
{sizes}
        (void)argument;
        return 0;
    }}

    // The argument that comes last of a state, after which functions are evaluated; empty where any is.
    static const char *last() {{ return "{last}"; }}

    // Arguments without values: functions wait for theirs.
    std::vector<std::string> missing() const {{
        std::vector<std::string> names;
{missing}
        return names;
    }}

    // Sets an argument; false where it has another size, or numbers that are not finite.
    bool set(const std::string &argument, const std::vector<double> &values) {{
{setters}
        return false;
    }}

    // Sets q and qd, those that functions take, from joint states in any order; false where these have a fault.
    bool set_joints(const std::vector<std::string> &names, const std::vector<double> &position,
                    const std::vector<double> &velocity) {{
        if (joints().empty() || !find_fault(names, position, velocity).empty()) return false;
        std::vector<double> q, qd;
        for (const std::string &joint : joints()) {{
            const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), joint) - names.begin());
            if (of_position) q.push_back(position[at]);
            if (of_velocity) qd.push_back(velocity[at]);
        }}
        return {from_joints};
    }}

    // Says what joint states lack, or which number is not finite; empty where nothing is wrong.
    static std::string find_fault(const std::vector<std::string> &names, const std::vector<double> &position,
                                  const std::vector<double> &velocity) {{
        for (const std::string &joint : joints()) {{
            const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), joint) - names.begin());
            if (at >= names.size()) return "joint states without " + joint;
            if (of_position && at >= position.size()) return "joint states without a position of " + joint;
            if (of_velocity && at >= velocity.size()) return "joint states without a velocity of " + joint;
            if (of_position && !std::isfinite(position[at])) return "a position of " + joint + " that is not finite";
            if (of_velocity && !std::isfinite(velocity[at])) return "a velocity of " + joint + " that is not finite";
        }}
        return "";
    }}

    // Sets a live parameter; false where there is none of this name, or the number is not finite.
    bool set_parameter(const std::string &name, double value) {{
        if (!std::isfinite(value)) return false;
{fields}
        (void)name;
        return false;
    }}

    // Returns the value of a live parameter; NaN where there is none of this name.
    double parameter(const std::string &name) const {{
{values}
        (void)name;
        return NAN;
    }}

    // Calls publish(name, values) for each result of the functions whose arguments have all come, if it is finite.
    // What a function takes of its last call stays here: a controller's solution, zeros at first, and the next state
    // of a step or of a smoother, whose first one is set. `elapsed` is the time (s) since evaluate was called last.
    template <class Publish>
    void evaluate(Publish &&publish, double elapsed = 0.0) {{
        (void)elapsed;
{calls}
    }}

private:
    static constexpr bool of_position = {of_position}, of_velocity = {of_velocity};

    template <std::size_t size>
    static bool copy(const std::vector<double> &values, std::array<{scalar}, size> &to, bool &has) {{
        if (values.size() != size) return false;
        for (double value : values)
            if (!std::isfinite(value)) return false;
        std::transform(values.begin(), values.end(), to.begin(), [](double x) {{ return static_cast<{scalar}>(x); }});
        has = true;
        return true;
    }}

    template <std::size_t size>
    static void keep(const std::array<{scalar}, size> &values, std::array<{scalar}, size> &to) {{
        for (double value : values)
            if (!std::isfinite(value)) return;
        to = values;
    }}

    template <std::size_t size, class Publish>
    static void give(const char *name, const std::array<{scalar}, size> &values, Publish &&publish) {{
        for (double value : values)
            if (!std::isfinite(value)) return;
        publish(std::string(name), std::vector<double>(values.begin(), values.end()));
    }}

{members}}};

}}  // namespace {name}
"""


KEPT = {"previous": "next", "active": "active"}
"""Arguments of controllers that are a result of the call before: their last solution, zeros at first."""
STATE = ("qd", "q")
"""Arguments that are measured, the last one first."""


def emit_core_header(library: Library) -> str:
    """Return the header of the core."""
    taken, fields, scalar = arguments(library), name_parameter_fields(library), SCALARS[library.dtype][0]
    known = {n for one in make_interfaces(library) for n in _list_own(one)}
    members = [_declare(n, a, scalar, n in known) for n, a in taken.items()]
    taken = {n: a for n, a in taken.items() if n not in known}
    setters = [f'        if (argument == "{n}") return copy(values, {n}_, has_{n}_);' for n in taken]
    members += [
        f"    double since_{f.name}_ = -1.0;  // s, before the first call negative" for f in _list_timed(library)
    ]
    own = [f"{name_parameter_type(library)} parameters_ = {name_nominal_parameters(library)};"] if fields else []
    given = joints(library)
    moved = [n for n in ("q", "qd") if n in taken and given]
    return CORE.format(
        about=in_comment(library.about or library.name),
        name=library.name,
        scalar=scalar,
        arguments=", ".join(f'"{n}"' for n in taken),
        sizes="\n".join(f'        if (argument == "{n}") return {len(a.names)};' for n, a in taken.items()),
        last=_find_last(library, taken),
        missing="\n".join(f'        if (!has_{n}_) names.emplace_back("{n}");' for n in taken),
        of_position=str("q" in moved).lower(),
        of_velocity=str("qd" in moved).lower(),
        parameters=", ".join(f'"{field}"' for field in fields.values()),
        joints=", ".join(map(in_string, given)),
        setters="\n".join(setters) or "        (void)argument, (void)values;",
        from_joints=" && ".join(f'set("{n}", {n})' for n in moved) or "false",
        fields="\n".join(
            f'        if (name == "{f}") return parameters_.{f} = static_cast<{scalar}>(value), true;'
            for f in fields.values()
        ),
        values="\n".join(f'        if (name == "{f}") return parameters_.{f};' for f in fields.values()),
        calls="\n".join(line for one in make_interfaces(library) for line in _call(one)),
        members="\n".join([*members, *(f"    {line}" for line in own), ""]),
    )


def arguments(library: Library) -> dict[str, Argument]:
    """Return the arguments of all functions by name, live parameters aside; one that differs has its function's."""
    found: dict[str, Argument] = {}
    for one in make_interfaces(library):
        for name, a in _iterate_arguments(one, library):
            found.setdefault(name, a)
    return found


def joints(library: Library) -> list[str]:
    """Return the joints of q and qd, where each has one number in both; else none."""
    held = arguments(library)
    listed = [_of_joints(held[n], n) for n in ("q", "qd") if n in held]
    agree = listed and all(own == listed[0] and all(k == 1 for k in Counter(own).values()) for own in listed)
    return listed[0] if agree else []


def list_topics(library: Library) -> list[str]:
    """Return the results as topics: the function, and the result where there are several; last solutions are none."""
    return [topic for one in make_interfaces(library) for topic in _list_published(one).values()]


def _iterate_arguments(one: Interface, library: Library) -> Iterator[tuple[str, Argument]]:
    """Yield the arguments of a function, under the names that the core knows them by."""
    first = {}
    for f in library.functions:
        for a in f.arguments:
            first.setdefault(a.name, _identify(f, a))
    for name, a in one.takes:
        if a.name != PARAMETERS:
            yield (name if first[a.name] == _identify(one.listing, a) else f"{one.listing.name}_{name}"), a


def _identify(f: ExportedFunction, a: Argument) -> tuple[Any, ...]:
    """Return what arguments that functions share have in common; last solutions and times are a function's own."""
    return a.names, a.nominal, f.name if a.name in KEPT or a.period else ""


def _of_joints(argument: Argument, kind: str) -> list[str]:
    found = [re.fullmatch(rf"{kind}:(.*)\[\d+\]", name) for name in argument.names]
    return [m[1] if m else "" for m in found]


def _call(one: Interface) -> list[str]:
    """Return the lines that evaluate a function."""
    known = dict(
        zip((n for n, a in one.takes if a.name != PARAMETERS), _iterate_arguments(one, one.library), strict=True)
    )
    had = " && ".join(f"has_{own}_" for own, _ in known.values()) or "true"
    members = [f"this->{'parameters' if a.name == PARAMETERS else known[n][0]}_" for n, a in one.takes]
    given = [f"&{m}" if a.name == PARAMETERS else f"{m}.data()" for m, (_, a) in zip(members, one.takes, strict=True)]
    results = [f"            std::array<{one.scalar}, {r.size or 1}> {n}{{}};" for n, r in one.gives]
    call = f"            {one.function}({', '.join([*given, *(f'{n}.data()' for n, _ in one.gives)])});"
    publish = [f'            give("{topic}", {n}, publish);' for n, topic in _list_published(one).items()]
    keep = [f"            keep({n}, this->{own}_);" for own, _, n in _list_kept(one)]
    begin, since = list[str](), f"since_{one.listing.name}_"
    for own, a in known.values():
        if a.period:
            begin = [f"        if ({since} >= 0.0 && elapsed > 0.0) {since} += elapsed;"]
            count = f"std::max({since}, 0.0) / {format_number(a.period, 'float64')}"
            results.append(f"            this->{own}_[0] = static_cast<{one.scalar}>({count});")
            keep.append(f"            {since} = 0.0;")
    return [*begin, f"        if ({had}) {{", *results, call, *publish, *keep, "        }"]


def _declare(name: str, a: Argument, scalar: str, is_known: bool) -> str:
    """Return the members of an argument: its numbers, and whether they have come."""
    values = ", ".join(format_number(x, "float32" if scalar == "float" else "float64") for x in a.nominal)
    has = str(is_known or bool(a.nominal)).lower()
    begin = f"{{{{{values}}}}}" if values else "{}"
    return f"    std::array<{scalar}, {len(a.names) or 1}> {name}_{begin};\n    bool has_{name}_ = {has};"


def _list_own(one: Interface) -> list[str]:
    """Return the arguments that the core knows itself: last solutions, and how much time went by."""
    timed = [own for own, a in _iterate_arguments(one, one.library) if a.period]
    return [*timed, *(own for own, name, _ in _list_kept(one) if name in KEPT)]


def _list_timed(library: Library) -> list[ExportedFunction]:
    return [f for f in library.functions if any(a.period for a in f.arguments)]


def _find_last(library: Library, taken: Mapping[str, Argument]) -> str:
    """Return the argument of the state that comes last; empty where there is none, or functions make it themselves."""
    made = {own for one in make_interfaces(library) for own, _, _ in _list_kept(one)}
    return next((name for name in STATE if name in taken and name not in made), "")


def _list_kept(one: Interface) -> list[tuple[str, str, str]]:
    """Return arguments that are results of the last call, of their own name or by `KEPT`: members, names, results."""
    results = {r.name: (n, r.size) for n, r in one.gives}
    found = list[tuple[str, str, str]]()
    for own, a in _iterate_arguments(one, one.library):
        n, size = results.get(KEPT.get(a.name, a.name), ("", 0))
        if size == len(a.names) > 0:
            found.append((own, a.name, n))
    return found


def _list_published(one: Interface) -> dict[str, str]:
    """Return the topics of results, by their identifiers; last solutions are of use to the next call alone."""
    own, kept = one.listing.name, {n for _, name, n in _list_kept(one) if name in KEPT}
    return {n: own if len(one.gives) == 1 else f"{own}/{n}" for n, _ in one.gives if n not in kept}
