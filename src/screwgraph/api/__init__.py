"""Queries of the public interface, functions deployed as libraries, other libraries."""
