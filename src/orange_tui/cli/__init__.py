"""The command line: parse the words, run one command, print its reply. Thin, quick, and it never imports Textual.

A command is one entry in `table/` and one function in the module of the same name in `commands/`; `parsing/` reads,
explains and completes whatever the table describes. `orange task update`, which agents run all the time, imports as
little as possible. Begin with `main.py`.
"""
