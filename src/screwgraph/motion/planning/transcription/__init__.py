"""From a task to a problem over time: unknowns that follow from others, goals that repeat or contradict laws."""
