"""Fixed-lag estimates in a loop of fixed rate: window, inputs of an update, misfit, replay of tables."""
