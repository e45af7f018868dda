"""The sandbox of an agent's window: `planning.py` says what is in it, `proofs.py` proves that it holds.

What is hidden from everybody is in `domain/sandbox`, what an agent needs of its own in its harness, and bubblewrap in
`outside/sandbox`. The orchestrator's chat is in none: it is the person's own talk with an agent that acts for them.
"""
