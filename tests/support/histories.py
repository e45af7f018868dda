"""Repositories with histories of every kind, made up from a number: the same number makes the same history."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FILES = (
    "README",
    "src/app.py",
    "src/app/main.py",
    "docs/a.md",
    "docs/deep/b.md",
    "logo.png",
    "link",
    "vendor",
    ".gitattributes",
)
_ATTRIBUTES = (
    b"* text=auto\n",
    b"*.md text eol=crlf\n",
    b"*.py -diff\n",
    b"docs/* binary\n",
    b"[attr]odd -diff\n*.md odd\n",
)
_MODES = ("100644", "100644", "100644", "100755", "120000", "160000")


class History:
    """A directed graph of commits, written with `git fast-import`."""

    def __init__(self, path: Path, seed: int, *, commits: int = 60, skewed: bool = False) -> None:
        self.path, self.branches = path, [f"branch-{number}" for number in range(6)]
        self._random, self._skewed = random.Random(seed), skewed
        self._stream: list[bytes] = []
        self._trees: list[dict[str, tuple[str, bytes]]] = []
        self._times: list[int] = []
        for mark in range(1, commits + 1):
            self._commit(mark)
        for number, branch in enumerate(["main", *self.branches]):
            mark = commits - number if number else commits
            self._stream.append(f"reset refs/heads/{branch}\nfrom :{mark}\n\n".encode())
        path.mkdir()
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=path, check=True)
        subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=b"".join(self._stream), check=True)

    def _commit(self, mark: int) -> None:
        choose = self._random
        recent = range(max(1, mark - 12), mark)
        parents = choose.sample(recent, min(len(recent), choose.choice([1, 1, 1, 1, 2, 2, 3]))) if mark > 1 else []
        if mark > 1 and choose.random() < 0.03:
            parents = []  # a history of its own
        earliest = max((self._times[parent - 1] for parent in parents), default=1_700_000_000)
        self._times.append(earliest + (choose.choice([-500, 0, 60]) if self._skewed else choose.choice([0, 0, 1, 60])))
        tree = dict(self._trees[parents[0] - 1]) if parents else {}
        for _ in range(choose.choice([1, 1, 2, 5])):
            self._change(tree)
        self._trees.append(tree)
        self._write(mark, parents, tree)

    def _change(self, tree: dict[str, tuple[str, bytes]]) -> None:
        choose = self._random
        name = choose.choice(_FILES)
        if tree and choose.random() < 0.15:
            del tree[choose.choice(sorted(tree))]
        elif tree and choose.random() < 0.15:
            tree.pop(name, None)
            old = choose.choice(sorted(tree) or [name])
            if old in tree:  # a rename, perhaps with a change
                mode, data = tree.pop(old)
                tree[f"moved/{choose.randrange(3)}.txt"] = (mode, self._edited(data) if choose.random() < 0.5 else data)
        else:
            mode = (
                "160000"
                if name == "vendor"
                else choose.choice(_MODES[:4])
                if name != "link"
                else choose.choice(_MODES[:5])
            )
            data = (
                choose.choice(_ATTRIBUTES) if name == ".gitattributes" else self._edited(tree.get(name, ("", b""))[1])
            )
            tree[name] = (mode, data)

    def _edited(self, data: bytes) -> bytes:
        choose = self._random
        kind = choose.random()
        if kind < 0.06:
            return b"\x89PNG\0" + choose.randbytes(40)
        if kind < 0.10:
            return b""
        end = choose.choice([b"\n", b"\n", b"\n", b"\r\n"])
        lines = data.splitlines(keepends=True) or [b"line %d%s" % (number % 7, end) for number in range(40)]
        for _ in range(choose.choice([1, 1, 3, 12])):
            place = choose.randrange(len(lines) + 1)
            lines[place : place + choose.randrange(3)] = [b"new %d%s" % (choose.randrange(9), end)] * choose.randrange(
                3
            )
        return b"".join(lines)[: None if choose.random() < 0.8 else -1]

    def _write(self, mark: int, parents: list[int], tree: dict[str, tuple[str, bytes]]) -> None:
        # `src/app` cannot be a file and a directory: files below another file are left out
        who = f"Tester <tester@example.org> {self._times[mark - 1]} +0000"
        lines = [f"commit refs/heads/scratch\nmark :{mark}\ncommitter {who}\ndata 4\nwork\n"]
        lines += [f"{'merge' if number else 'from'} :{parent}\n" for number, parent in enumerate(parents)]
        if not parents:
            lines.insert(0, "reset refs/heads/scratch\n\n")
        self._stream += [*(line.encode() for line in lines), b"deleteall\n"]
        for name, (mode, data) in sorted(tree.items()):
            if mode == "160000":
                self._stream.append(f"M 160000 {random.Random(data).randbytes(20).hex()} {name}\n".encode())
            else:
                self._stream.append(f"M {mode} inline {name}\ndata {len(data)}\n".encode() + data + b"\n")
        self._stream.append(b"\n")
