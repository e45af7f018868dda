"""A stand-in for GitHub on this machine, which the real `gh` talks to."""
