"""The search for a plan: from a task to its problem, from guesses to a plan, from one plan to the next."""
