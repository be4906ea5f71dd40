"""Graphs as JSON and as DOT text."""

from __future__ import annotations

import json

from screwgraph.graph.factor_graph import FactorGraph


def to_json(graph: FactorGraph) -> str:
    """Return a graph as JSON: `variables` (key, label, dim, role: unknown, input or derived) and `factors`."""
    role = _roles(graph)
    variables = [
        {"key": str(key), "label": v.label, "dim": v.dim, "role": role[str(key)]} for key, v in graph.variables.items()
    ]
    factors = [
        {"name": f.name, "law": f.template.name, "rows": f.rows, "variables": [str(k) for k in f.keys]}
        for f in graph.factors
    ]
    return json.dumps({"variables": variables, "factors": factors}, ensure_ascii=False, indent=1)


def to_dot(graph: FactorGraph) -> str:
    """Return a graph in Graphviz' language: circles unknown, squares known, dots factors."""
    role = _roles(graph)
    touched = {key for factor in graph.factors for key in factor.keys}
    lines = ["graph factors {", "  layout=neato; overlap=false;"]
    for key, variable in graph.variables.items():
        if key in touched or key not in graph.known:
            shape = "circle" if role[str(key)] == "unknown" else "square"
            lines.append(
                f"  {json.dumps(str(key))} [label={json.dumps(variable.label, ensure_ascii=False)}, shape={shape}];"
            )
    for i, factor in enumerate(graph.factors):
        lines.append(f"  f{i} [shape=point, xlabel={json.dumps(factor.name)}];")
        lines += [f"  f{i} -- {json.dumps(str(key))};" for key in factor.keys]
    return "\n".join([*lines, "}"])


def _roles(graph: FactorGraph) -> dict[str, str]:
    roles = {str(v.key): "unknown" for v in graph.unknowns}
    roles.update({str(v.key): "input" for v in graph.inputs})
    roles.update({str(key): "derived" for d in graph.derived for key in d.keys})
    return roles
