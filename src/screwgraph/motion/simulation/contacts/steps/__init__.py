"""Time steps with contacts: their code, functions, derivatives, and searches for impulses."""
