"""Built-in robots, as data: one YAML file each, its figures transcribed from the publication that it names."""
