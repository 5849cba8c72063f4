"""Faults put into programs that are right, in several shapes of code.

A mutation (`kinds/`) is data: the rule, where to look, and a small function that gives the faulty code for a place.
A shape (`shapes.py`) says how the fault is written: in place, through a variable or function, in a class, a notebook.
"""
