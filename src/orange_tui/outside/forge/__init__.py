"""Git hosts ("forges"): pull requests and issues, behind one interface.

Begin with `interface.py`: what the rest of Orange may ask a forge, and the records it answers with. `github.py` is
the one implementation, through GitHub's own `gh`. Another host is one new module with a subclass of `Forge`, and its
entry in `registry.py`. Nothing outside of this package runs `gh` or knows what a forge's addresses look like.
"""
