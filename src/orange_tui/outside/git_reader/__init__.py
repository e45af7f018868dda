"""Reading branches, commits, trees and blobs: with pygit2 where that is quicker and safe, else with git.

Begin with `reader.py`. Nothing that a repository configures is run, and every answer is the one that git would give.
"""
