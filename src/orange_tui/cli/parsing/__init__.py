"""From the words of a command line to a command: grammar, parser, help and refusals.

Begin with `grammar.py`.
"""
