"""The demo: a scripted agent that needs no network and no key, and a small world for it to work in."""
