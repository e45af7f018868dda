"""What pygit2 reads is what git reads; and where it might not be, git is asked."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.conflicts import ConflictForecast
from orange_tui.branches.distance import BranchDistances
from orange_tui.branches.stats import Stats
from orange_tui.home.projects import Project
from orange_tui.outside.git import local
from orange_tui.outside.git_reader import _objects
from orange_tui.outside.git_reader._objects import READ_ERRORS, GitObjects
from orange_tui.outside.git_reader._walk import CannotRead
from orange_tui.outside.git_reader.reader import GitReader, GitReaders
from support.git import git
from support.histories import History

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(6)


def both(path: Path) -> tuple[GitReader, GitReader]:
    return GitReader(str(path)), GitReader(str(path), use_library=False)


def pairs_of(history: History, reader: GitReader) -> list[tuple[str, str]]:
    tips = list(reader.tips([local(name) for name in ["main", *history.branches]]).values())
    return [(one, other) for one in tips for other in tips if one != other]


@pytest.fixture(params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path: Path) -> History:
    made = History(tmp_path / "history", request.param)
    if request.param % 2:  # then git finds the attributes in the worktree, else nowhere
        git(made.path, "-c", "core.protectNTFS=false", "reset", "-q", "--hard", "main")
    return made


def test_every_history_is_read_as_git_reads_it(history: History) -> None:
    library, program = both(history.path)
    names = [local(name) for name in ["main", *history.branches, "never", "branch"]]
    assert library.tips(names) == program.tips(names)
    pairs = pairs_of(history, program)
    assert library.changed_files(pairs) == program.changed_files(pairs)
    assert library.changed_lines(pairs) == program.changed_lines(pairs)
    for base, head in pairs:
        assert library.commits_not_in(base, [head]) == program.commits_not_in(base, [head])
        commit, certain = library.merge_base(base, head)
        words = ["git", "merge-base", "--all", base, head]
        bases = subprocess.run(words, cwd=history.path, capture_output=True, text=True, check=False).stdout.split()
        assert commit == (bases[0] if bases else None) or commit in bases
        assert len(bases) <= 1 or not certain
    heads = [head for _, head in pairs]
    assert library.commits_not_in(heads[0], heads) == program.commits_not_in(heads[0], heads)


def test_distances_and_conflicts_are_those_that_git_alone_finds(history: History) -> None:
    project = Project("coffee", str(history.path), "main", 2, "default", {})
    tasks = {name: name for name in history.branches}
    answers = []
    for use_library in (True, False):
        readers = GitReaders(use_library=use_library)
        distances, forecast = BranchDistances(readers), ConflictForecast(readers)
        stats = distances.refresh(project, tasks)
        answers.append((stats, forecast.refresh(project, distances.positions(project), tasks)))
    assert answers[0] == answers[1]
    assert len(answers[0][0]) == len(tasks)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_forecast_without_a_merge_is_what_a_merge_finds(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path / "history", seed)
    project = Project("coffee", str(history.path), "main", 2, "default", {})
    tasks = {name: name for name in history.branches}
    readers = GitReaders()
    distances, forecast = BranchDistances(readers), ConflictForecast(readers)
    distances.refresh(project, tasks)
    tips = distances.positions(project)
    assert tips is not None
    found = forecast.refresh(project, tips, tasks)
    heads = {branch: head for branch, head in tips.heads.items() if head in tips.forks}
    merged = readers.of(project.path).conflicts((tips.base, head) for head in heads.values())
    told = {branch: set(found[branch].files) if branch in found else set() for branch in heads}
    assert told == {branch: set(merged[tips.base, head]) for branch, head in heads.items()}


def test_most_of_it_is_read_without_git(tmp_path: Path) -> None:
    """Else the tests above would compare git with itself."""
    answered = asked = 0
    for seed in SEEDS:
        history = History(tmp_path / str(seed), seed)
        objects = GitObjects(str(history.path / ".git"))
        for old, new in pairs_of(history, GitReader(str(history.path))):
            for read in (
                lambda: objects.commits_not_in([old], [new]),  # noqa: B023 - called at once
                lambda: objects.merge_base(old, new),  # noqa: B023
                lambda: objects.changed_files(old, new),  # noqa: B023
                lambda: objects.changed_lines(old, new, str(history.path)),  # noqa: B023
            ):
                asked += 1
                try:
                    read()
                    answered += 1
                except READ_ERRORS:
                    pass
    assert answered > asked / 3


def test_commits_that_are_older_than_their_parents_are_left_to_git(tmp_path: Path) -> None:
    history = History(tmp_path / "history", 3, skewed=True)
    library, program = both(history.path)
    for base, head in pairs_of(history, program):
        assert library.commits_not_in(base, [head]) == program.commits_not_in(base, [head])


def test_what_is_too_much_is_left_to_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "long").write_text("line\n" * 20_000)
    for number in range(5):
        (repository / f"new-{number}").write_text("1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "more")
    old, new = git(repository, "rev-parse", "HEAD^", "HEAD").split()
    objects = GitObjects(str(repository / ".git"))
    with pytest.raises(CannotRead):
        objects.changed_lines(old, new, str(repository))
    assert GitReader(str(repository)).changed_lines([(old, new)]) == {(old, new): (20_005, 0)}
    for name in ("MOST_FILES", "MOST_COMMITS", "MOST_BRANCHES"):
        monkeypatch.setattr(_objects, name, 1)
    with pytest.raises(CannotRead):
        objects.changed_files(old, new)
    with pytest.raises(CannotRead):
        objects.commits_not_in([old], [new])
    with pytest.raises(CannotRead):
        objects.tips([local("main"), local("fix")])
    assert len(GitReader(str(repository)).changed_files([(old, new)])[old, new].files) == 6
    assert GitReader(str(repository)).commits_not_in(old, [new]) == {new: [old]}


def test_branches_that_move_are_packed_or_collected_are_read_where_they_are(repository: Path) -> None:
    library, program = both(repository)
    names = [local("main"), local("fix")]
    for number in range(4):
        git(repository, "checkout", "-q", "-B", "fix", "main")
        (repository / "work").write_text(f"{number}\n")
        git(repository, "add", ".")
        git(repository, "commit", "-qm", f"{number}")
        if number % 2:
            git(repository, "gc", "-q", "--prune=now")
        tips = library.tips(names)
        assert tips == program.tips(names)
        pair = (tips[local("main")], tips[local("fix")])
        assert library.changed_lines([pair]) == program.changed_lines([pair]) == {pair: (1, 0)}
        assert library.commits_not_in(*pair[:1], [pair[1]]) == {pair[1]: [pair[0]]}


def test_a_repository_that_was_made_anew_is_opened_anew(repository: Path) -> None:
    library, program = both(repository)
    before = library.tips([local("main")])
    git(repository.parent, "clone", "-q", str(repository), "other")
    git(repository.parent / "other", "-c", "user.name=x", "commit", "-q", "--allow-empty", "-m", "more")
    repository.rename(repository.parent / "gone")
    (repository.parent / "other").rename(repository)
    assert library.tips([local("main")]) == program.tips([local("main")]) != before


@pytest.mark.parametrize("kind", ["partial", "shallow", "sha256", "replaced", "foreign", "worktree"])
def test_a_repository_that_pygit2_cannot_read_is_read_by_git(
    repository: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / kind
    for number in range(3):
        git(repository, "commit", "-q", "--allow-empty", "-m", f"{number}")
    git(repository, "config", "uploadpack.allowFilter", "true")
    if kind == "partial":
        git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repository}", kind)
    elif kind == "shallow":
        git(tmp_path, "clone", "-q", "--depth=2", f"file://{repository}", kind)
    elif kind == "sha256":
        git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256", kind)
        git(place, "commit", "-q", "--allow-empty", "-m", "first")
    else:
        git(tmp_path, "clone", "-q", str(repository), kind)
    if kind == "replaced":
        git(place, "replace", "--graft", "HEAD", "HEAD~2")
    elif kind == "worktree":
        git(place, "config", "core.worktree", str(tmp_path))
    elif kind == "foreign":
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    library, program = both(place)
    with pytest.raises(READ_ERRORS):
        GitObjects(str(place / ".git")).tips([local("main")])
    assert library.tips([local("main")]) == program.tips([local("main")])
    assert library._open() is None


def test_commits_that_get_other_parents_while_we_watch_are_read_by_git(repository: Path) -> None:
    for number in range(3):
        git(repository, "commit", "-q", "--allow-empty", "-m", f"{number}")
    library, program = both(repository)
    base, head = git(repository, "rev-parse", "HEAD~3", "HEAD").split()
    assert len(library.commits_not_in(base, [head])) == 3
    git(repository, "replace", "--graft", "HEAD", "HEAD~2")
    assert library.commits_not_in(base, [head]) == program.commits_not_in(base, [head])
    assert len(library.commits_not_in(base, [head])) == 2


def test_nothing_that_a_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    (repository / "TEA").write_text("green\n")
    (repository / ".gitattributes").write_text("* filter=x\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "tea")
    old, new = git(repository, "rev-parse", "HEAD^", "HEAD").split()
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n")
    trap.chmod(0o755)
    for setting in ("core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.smudge", "core.sshCommand"):
        git(repository, "config", setting, str(trap))
    git(repository, "config", "core.hooksPath", str(tmp_path))
    objects = GitObjects(str(repository / ".git"))
    assert objects.tips([local("main")]) == {local("main"): new}
    assert objects.commits_not_in([old], [new]) == {new: [old]}
    assert objects.changed_lines(old, new, str(repository)) == (2, 0)
    assert not (tmp_path / "sprung").exists()


def test_a_machine_without_pygit2_asks_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "orange_tui.outside.git_reader._objects", None)
    project = Project("coffee", str(repository), "main", 2, "default", {})
    assert BranchDistances(GitReaders()).refresh(project, ["main"]) == {"main": Stats(0, 0, 0)}


def test_a_linked_worktree_and_a_bare_repository_are_read_too(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "fix")
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    subprocess.run(["git", "gc", "-q"], cwd=tmp_path / "bare.git", check=True)
    for place in (tmp_path / "linked", tmp_path / "bare.git"):
        library, program = both(place)
        names = [local("main"), local("fix")]
        assert library.tips(names) == program.tips(names)
        assert len(library.tips(names)) == 2
        assert library._open() is not None


@pytest.mark.parametrize(
    "attributes",
    ["notes#1 -diff\n", '"notes#1" binary\n', "# no diff\nnotes#1 -diff", "notes#1\tdiff=x", " notes#1 -diff\r\n"],
)
def test_a_file_with_a_hash_in_its_name_has_the_attributes_that_git_gives_it(repository: Path, attributes: str) -> None:
    (repository / ".gitattributes").write_text(attributes)
    git(repository, "config", "diff.x.binary", "true")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "attributes")
    (repository / "notes#1").write_text("one\ntwo\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "notes")
    library, program = both(repository)
    pair = (git(repository, "rev-parse", "HEAD^"), git(repository, "rev-parse", "HEAD"))
    assert library.changed_lines([pair]) == program.changed_lines([pair]) == {pair: (0, 0)}


def test_attributes_that_are_a_link_to_what_never_ends_keep_nobody_waiting(repository: Path, tmp_path: Path) -> None:
    """Git does not follow such a link either; a repository can bring it along, to a terminal for instance."""
    os.mkfifo(tmp_path / "pipe")
    (repository / ".gitattributes").symlink_to(tmp_path / "pipe")
    (repository / "TEA").write_text("green\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "tea")
    library, program = both(repository)
    pair = (git(repository, "rev-parse", "HEAD^"), git(repository, "rev-parse", "HEAD"))
    found: list[object] = []
    reading = threading.Thread(target=lambda: found.append(library.changed_lines([pair])), daemon=True)
    reading.start()
    reading.join(60)
    assert found == [program.changed_lines([pair])]


@pytest.mark.parametrize("damage", ["missing", "empty", "no commit"])
def test_a_branch_whose_commit_cannot_be_read_is_answered_for_as_git_does(repository: Path, damage: str) -> None:
    git(repository, "checkout", "-q", "-b", "fix")
    git(repository, "commit", "-q", "--allow-empty", "-m", "fix")
    git(repository, "checkout", "-q", "-b", "broken")
    git(repository, "commit", "-q", "--allow-empty", "-m", "broken")
    broken = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "-q", "main")
    loose = repository / ".git" / "objects" / broken[:2] / broken[2:]
    loose.chmod(0o644)
    if damage == "missing":
        loose.unlink()
    elif damage == "empty":
        loose.write_bytes(b"")
    else:
        (repository / ".git/refs/heads/broken").write_text(git(repository, "rev-parse", "HEAD^{tree}") + "\n")
    project = Project("coffee", str(repository), "main", 2, "default", {})
    stats = [
        BranchDistances(GitReaders(use_library=use_library)).refresh(project, ["fix", "broken"])
        for use_library in (True, False)
    ]
    assert stats[0] == stats[1]


def test_commits_of_a_clock_that_was_wrong_are_found_in_the_default_branch_as_git_finds_them(repository: Path) -> None:
    """A merge that seems older than what it has merged, and lies aside of the straight way to the common past."""

    def commit_at(seconds: int, *parents: str) -> str:
        named = [word for parent in parents for word in ("-p", parent)]
        when = f"{seconds} +0000"
        words = ["git", "commit-tree", "HEAD^{tree}", *named, "-m", f"{seconds}"]
        environment = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
        done = subprocess.run(words, cwd=repository, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    past = commit_at(1_000_000_500)
    fix = commit_at(1_000_001_000, past)
    merge = commit_at(1_000_000_900, past, fix)
    tip = commit_at(1_000_001_100, merge, past)
    library, program = both(repository)
    assert library.commits_not_in(tip, [fix]) == program.commits_not_in(tip, [fix]) == {}
    assert library.merge_base(tip, fix)[0] == program.merge_base(tip, fix)[0] == fix


@pytest.mark.parametrize("kind", ["bare", "attr.tree"])
def test_lines_are_left_to_git_where_it_may_take_the_attributes_of_another_commit(
    repository: Path, tmp_path: Path, kind: str
) -> None:
    """A later git does that in a bare repository, or where a setting says so."""
    (repository / "TEA").write_text("green\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "tea")
    pair = (git(repository, "rev-parse", "HEAD^"), git(repository, "rev-parse", "HEAD"))
    git(tmp_path, "clone", "-q", *(["--bare"] if kind == "bare" else []), str(repository), "clone")
    place = tmp_path / "clone"
    if kind == "attr.tree":
        git(place, "config", "attr.tree", "HEAD")
    with pytest.raises(CannotRead):
        GitObjects(str(place if kind == "bare" else place / ".git")).changed_lines(*pair, str(place))
    assert GitReader(str(place)).changed_lines([pair]) == {pair: (1, 0)}


@pytest.mark.parametrize("modes", [("100664", "100644"), ("100644", "100664"), ("040000", "40000")])
def test_modes_as_other_programs_have_written_them_are_read_as_git_reads_them(
    repository: Path, modes: tuple[str, str]
) -> None:
    blob = git(repository, "rev-parse", "HEAD:README")
    inner = _write_tree(repository, ("100644", "README", blob))
    trees = [_write_tree(repository, (mode, "old", blob if mode.startswith("100") else inner)) for mode in modes]
    pair = (
        git(repository, "commit-tree", trees[0], "-m", "old"),
        git(repository, "commit-tree", trees[1], "-m", "new"),
    )
    library, program = both(repository)
    assert library.changed_files([pair]) == program.changed_files([pair])
    assert library.changed_lines([pair]) == program.changed_lines([pair])


def _write_tree(repository: Path, *entries: tuple[str, str, str]) -> str:
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    words = ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    done = subprocess.run(words, cwd=repository, input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\ntwo\n", b"one\ntwo"),
        (b"one\ntwo", b"one\ntwo\nthree"),
        (b"one\r\ntwo\r\n", b"one\ntwo\n"),
        (b"one\rtwo\r", b"one\rtwo\rthree\r"),
        (b"", b"one"),
        (b"one\n", b""),
        (b"\n", b"\n\n\n"),
        (b"\0one\n", b"one\ntwo\n"),
        (b"x" * 7999 + b"\0\n", b"x\n"),
        (b"x" * 8000 + b"\0\n", b"x\n"),
        (b"\xff\xfeo\0n\0e\0", b"\xff\xfet\0w\0o\0"),
        (b"caf\xe9\n", b"caf\xc3\xa9\n"),
        (b"same\n" * 300 + b"a\n" + b"same\n" * 300, b"same\n" * 300 + b"b\n" + b"same\n" * 301),
        (b"{\n}\n" * 900, b"{\n}\n" * 400 + b"new\n" + b"{\n}\n" * 498),
    ],
)
def test_lines_are_counted_as_git_counts_them(repository: Path, before: bytes, after: bytes) -> None:
    hashes = []
    for text in (before, after):
        (repository / "file").write_bytes(text)
        git(repository, "add", ".")
        git(repository, "commit", "-qm", "file")
        hashes.append(git(repository, "rev-parse", "HEAD"))
    library, program = both(repository)
    pairs = [(hashes[0], hashes[1]), (hashes[1], hashes[0])]
    assert library.changed_lines(pairs) == program.changed_lines(pairs)
    assert (
        GitObjects(str(repository / ".git")).changed_lines(*pairs[0], str(repository))
        == library.changed_lines(pairs)[pairs[0]]
    )


@pytest.mark.parametrize("by", ["file", "count", "tree"])
def test_settings_that_the_environment_gives_git_count(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    (repository / "TEA").write_text("green\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "tea")
    pair = (git(repository, "rev-parse", "HEAD^"), git(repository, "rev-parse", "HEAD"))
    (tmp_path / "attributes").write_text("* -diff\n")
    (tmp_path / "config").write_text(f"[core]\n\tattributesFile = {tmp_path}/attributes\n")
    if by == "file":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    elif by == "tree":
        monkeypatch.setenv("GIT_ATTR_SOURCE", "HEAD")
    else:
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.attributesFile")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path / "attributes"))
    library, program = both(repository)
    assert library.changed_lines([pair]) == program.changed_lines([pair])
    assert library._open() is None
