"""Terms of a step with contacts at one state: velocities, Jacobians, inertias."""
