"""The demo: a scripted agent that needs no network and no key, and a throw-away repository for it to work in.

The agent does everything for real (TASK.md, git, the `orange` command); only its thinking is scripted. Two programs
start here: `agent.py`, which stays in its window and takes messages, and `one_shot.py`, which works once and ends.
`orange demo` is `throwaway.py`, `world.py` and `headless.py`; `clean_up.py` comes after it. What the agent plays is in
`roles/`, what it works with in `tools/`. Begin with `agent.py`.
"""
