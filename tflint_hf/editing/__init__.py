"""Changing the user's files: fixes of findings, and comments that hide them."""
