"""The parts of the screens. None of them reads a file: they show what they are given."""
