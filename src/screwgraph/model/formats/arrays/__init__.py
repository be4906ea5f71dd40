"""Files of arrays and tables."""
