"""The only code that runs another program: git, tmux, gh, an agent's one-shot answer, a desktop notice.

It promises that programs are started from a list of words and never through a shell, that each of them comes to an
end, and that what goes wrong is an error with a sentence for a person. Nothing here knows a task's files or settings.

Begin with `programs.py`, through which everything is started; then `git.py` and `tmux/`. `git_reader/` answers
questions about branches, with pygit2 where that is quicker; `forge/` is GitHub behind an interface.
"""
