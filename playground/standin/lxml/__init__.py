"""What readers of robot files take of lxml, on Python's own parser of XML."""
