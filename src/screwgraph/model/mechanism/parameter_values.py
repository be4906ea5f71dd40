"""Parameters of a mechanism by name."""

from __future__ import annotations

from screwgraph.model.mechanism.mechanism import Mechanism


def parameter_values(mechanism: Mechanism) -> dict[str, float]:
    """Return all parameters, called by key and part as its file writes them: mass:crank, cog_x:crank, rest:s."""
    found = {}
    for body in mechanism.bodies:
        found |= {f"mass:{body.name}": body.mass, f"I0:{body.name}": body.inertia}
        found |= {f"cog_x:{body.name}": body.com[0], f"cog_y:{body.name}": body.com[1]}
        if len(body.points) == 2:
            found[f"length:{body.name}"] = body.length
    for spring in mechanism.springs:
        found |= {f"stiffness:{spring.name}": spring.stiffness, f"rest:{spring.name}": spring.rest}
    found |= {f"damping:{damper.name}": damper.damping for damper in mechanism.dampers}
    for force in mechanism.forces:
        found |= {f"value_x:{force.name}": force.value[0], f"value_y:{force.name}": force.value[1]}
    return found | {f"value:{torque.name}": torque.value for torque in mechanism.torques}
