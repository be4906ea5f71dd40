"""The part of the node that knows nothing of ROS: which arguments have come, and the functions whose all have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.interface import (
    Interface,
    make_interfaces,
    name_parameter_fields,
    name_parameter_type,
)
from screwgraph.compiler.backends.c.operations import SCALARS
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
    // Arguments that are set by name.
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

    // Sets an argument; false where it has another size, or numbers that are not finite.
    bool set(const std::string &argument, const std::vector<double> &values) {{
{setters}
        return false;
    }}

    // Sets q and qd from joint states in any order; false where a joint is missing, or a number is not finite.
    bool set_joints(const std::vector<std::string> &names, const std::vector<double> &position,
                    const std::vector<double> &velocity) {{
        std::vector<double> q, qd;
        for (const std::string &joint : joints()) {{
            const auto found = std::find(names.begin(), names.end(), joint);
            const auto at = static_cast<std::size_t>(found - names.begin());
            if (at >= names.size() || at >= position.size() || at >= velocity.size()) return false;
            q.push_back(position[at]);
            qd.push_back(velocity[at]);
        }}
        return !q.empty() && {from_joints};
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
    // of a step or of a smoother, whose first one is set.
    template <class Publish>
    void evaluate(Publish &&publish) {{
{calls}
    }}

private:
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


def emit_core_header(library: Library) -> str:
    """Return the header of the core."""
    taken, fields, scalar = arguments(library), name_parameter_fields(library), SCALARS[library.dtype][0]
    setters = [f'        if (argument == "{n}") return copy(values, {n}_, has_{n}_);' for n in taken]
    kept = {n for one in make_interfaces(library) for n, known, _ in _list_kept(one) if known in KEPT}
    members = [
        f"    std::array<{scalar}, {len(a.names) or 1}> {n}_{{}};\n    bool has_{n}_ = {str(n in kept).lower()};"
        for n, a in taken.items()
    ]
    own = [f"{name_parameter_type(library)} parameters_ = {name_nominal_parameters(library)};"] if fields else []
    given = joints(library)
    moved = [n for n in ("q", "qd") if n in taken and given]
    return CORE.format(
        about=in_comment(library.about or library.name),
        name=library.name,
        scalar=scalar,
        arguments=", ".join(f'"{n}"' for n in taken),
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
    """Return the results as topics: the function, and the result where there are several."""
    return [name for one in make_interfaces(library) for name in _results(one)]


def _iterate_arguments(one: Interface, library: Library) -> Iterator[tuple[str, Argument]]:
    """Yield the arguments of a function, under the names that the core knows them by."""
    first = {}
    for f in library.functions:
        for a in f.arguments:
            first.setdefault(a.name, a.names)
    for name, a in one.takes:
        if a.name != PARAMETERS:
            yield (name if first[a.name] == a.names else f"{one.listing.name}_{name}"), a


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
    pairs = zip(one.gives, _results(one), strict=True)
    publish = [f'            give("{topic}", {n}, publish);' for (n, _), topic in pairs]
    keep = [f"            keep({n}, this->{own}_);" for own, _, n in _list_kept(one)]
    return [f"        if ({had}) {{", *results, call, *publish, *keep, "        }"]


def _list_kept(one: Interface) -> list[tuple[str, str, str]]:
    """Return arguments that are results of the last call, of their own name or by `KEPT`: members, names, results."""
    results = {r.name: (n, r.size) for n, r in one.gives}
    found = list[tuple[str, str, str]]()
    for own, a in _iterate_arguments(one, one.library):
        n, size = results.get(KEPT.get(a.name, a.name), ("", 0))
        if size == len(a.names) > 0:
            found.append((own, a.name, n))
    return found


def _results(one: Interface) -> list[str]:
    own = one.listing.name
    return [own] if len(one.gives) == 1 else [f"{own}/{n}" for n, _ in one.gives]
