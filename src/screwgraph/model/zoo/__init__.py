"""Built-in robots, as data: one YAML file each, its parameters transcribed from the publication that it names."""
