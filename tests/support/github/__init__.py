"""A GitHub server on this machine, which the real `gh` talks to."""
