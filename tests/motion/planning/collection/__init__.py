"""Random tasks of planning, by kind; each is planned and given to IPOPT from the same guess."""
