"""Workflow files: YAML read into a `Workflow`, or into the list of everything that is wrong with it.

Begin with `loader.py`; `data.py` is a checked workflow as JSON, for the cache.
"""
