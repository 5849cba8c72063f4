"""The run: a program is executed for a few steps, observed and measured, and findings are confirmed or refuted."""
