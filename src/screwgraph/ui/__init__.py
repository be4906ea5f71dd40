"""What people see: the command line, notebooks, figures, pages in three dimensions, measurements."""
