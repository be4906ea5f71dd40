"""What was measured or is to be followed: tables, sensors, curves through samples."""
