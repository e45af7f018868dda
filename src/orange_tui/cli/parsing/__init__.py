"""From the words of a command line to a command: grammar, parser, help, usage errors and shell completion.

It knows no command: it works on whatever table it is given. Begin with `grammar.py`.
"""
