"""Motions over time: integration rules, simulation, planning, estimation, identification."""
