"""First hours of four users, as scripts that need the installed package alone: `python tests/first_hour/robot.py`."""
