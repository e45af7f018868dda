"""What an agent is told about its task besides the prompt.

Begin with `enrichment.py`: a table of rows, each with a limit, each left out when empty.
"""
