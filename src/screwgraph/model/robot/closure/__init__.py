"""Closed chains: what loops and couplings demand, what satisfies it, and how freely they move."""
