"""Everything that runs another program: git, tmux, gh, the agents."""
