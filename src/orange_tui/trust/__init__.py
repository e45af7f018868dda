"""What a repository brings along (`.orange.yml`, hooks, filters), and what of it the person has seen and trusts.

Nothing of it counts before that, and what is changed is asked about again. Begin with `trust.py`; that git runs nothing
else is held in `outside/git_guard/gate.py`.
"""
