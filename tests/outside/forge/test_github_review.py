"""Reviews and checks on GitHub: what is read with the real gh, what is posted, and replies that are nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
from orange_tui.domain.pull_request import Check
from orange_tui.outside.forge import _github_pull_requests as pull_requests
from orange_tui.outside.forge._github_checks import failure_of
from orange_tui.outside.forge._github_review import parse_reply, query_for, quote_of
from orange_tui.outside.forge.github import GitHub as Forge
from orange_tui.outside.forge.interface import Address, ForgeUnavailable, HostedRepository
from orange_tui.outside.forge.review_records import PullRequestReview
from support.github.reviews import HUNK, CheckRun, Remark, ReviewThread

if TYPE_CHECKING:
    from support.github.server import GitHub

REPOSITORY = HostedRepository("github.com", "o", "r")
LOG = (
    "\ufeff2026-11-16T09:00:00.1234567Z ##[group]Run actions/checkout@v4\n"
    "2026-11-16T09:00:01.1234567Z with:\n"
    "2026-11-16T09:00:01.1234567Z ##[endgroup]\n"
    "2026-11-16T09:00:02.1234567Z ##[group]Run make test\n"
    "2026-11-16T09:00:02.1234567Z \x1b[36;1mmake lint\x1b[0m\n"
    "2026-11-16T09:00:02.1234567Z \x1b[36;1mmake test\x1b[0m\n"
    "2026-11-16T09:00:02.1234567Z shell: /usr/bin/bash -e {0}\n"
    "2026-11-16T09:00:02.1234567Z ##[endgroup]\n"
    "2026-11-16T09:00:03.1234567Z \x1b[31mFAILED\x1b[0m tests/test_tea.py::test_steep\x1b]0;evil\x07\n"
    "2026-11-16T09:00:04.1234567Z ##[error]Process completed with exit code 2.\n"
    "2026-11-16T09:00:05.1234567Z Post job cleanup.\n"
)


def review(github: GitHub, number: int) -> PullRequestReview:
    address = Address(REPOSITORY, number)
    found = Forge().read_reviews("github.com", [address])[address]
    assert isinstance(found, PullRequestReview), found
    return found


def test_threads_reviews_and_conversation_are_read_with_one_query(github: GitHub) -> None:
    made = [github.open_pull_request("feat/tea"), github.open_pull_request("feat/milk")]
    made[0].threads.append(ReviewThread([Remark("ana", "Too hot"), Remark("tester", "No")], line=3, start_line=2))
    made[0].reviews += [
        Remark("ana", "Please cool it", state="CHANGES_REQUESTED"),
        Remark("bob", "Fine", state="APPROVED"),
        Remark("ana", "", state="COMMENTED"),
    ]
    made[1].comments += [Remark("eve", "Buy this", association="NONE"), Remark("cov", "98 %", is_bot=True)]
    found = Forge().read_reviews("github.com", [Address(REPOSITORY, each.number) for each in made])
    assert len(github.requests) == 1
    tea, milk = found.values()
    assert isinstance(tea, PullRequestReview)
    assert isinstance(milk, PullRequestReview)
    thread, verdict = tea.threads
    assert (thread.path, thread.line, thread.end_line, thread.side) == ("tea.py", 2, 3, "new")
    assert thread.quote == "boil(water, 90)"
    assert [(each.author, each.text, each.is_own) for each in thread.comments] == [
        ("ana", "Too hot", False),
        ("tester", "No", True),
    ]
    assert tea.changes_requested
    assert (verdict.comments[0].text, verdict.is_about_lines) == ("Please cool it", False)
    assert [(each.comments[0].author, each.comments[0].is_trusted) for each in milk.threads] == [("eve", False)]
    assert not milk.changes_requested


def test_what_the_person_is_still_writing_there_is_not_read(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    made.threads.append(ReviewThread([Remark("tester", "Perhaps", state="PENDING")]))
    made.reviews.append(Remark("tester", "Perhaps", state="PENDING"))
    assert review(github, made.number).threads == ()


def test_verdict_of_somebody_who_may_not_write_there_counts_for_nothing(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    made.reviews.append(Remark("eve", "No!", association="NONE", state="CHANGES_REQUESTED"))
    assert not review(github, made.number).changes_requested
    made.reviews.append(Remark("ana", "No.", state="CHANGES_REQUESTED"))
    assert review(github, made.number).changes_requested


def test_what_could_not_be_read_is_not_taken_for_deleted() -> None:
    node = {"id": "C_1", "body": "Too hot", "author": {"login": "ana"}, "authorAssociation": "MEMBER"}
    lists: dict[str, Any] = {name: {"totalCount": 0, "nodes": []} for name in ("reviewThreads", "reviews")}
    for nodes, is_complete in (([node, node], True), ([node, None], False), ([node, {}], False)):
        found = {"headRefOid": "a" * 40, **lists, "comments": {"totalCount": 2, "nodes": nodes}}
        (read,) = parse_reply({"data": {"p0": {"pullRequest": found}}}, [Address(REPOSITORY, 7)])
        assert isinstance(read, PullRequestReview)
        assert read.is_complete is is_complete


def test_checks_of_the_head_and_of_the_default_branch_are_read(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    made.check_runs += [
        CheckRun("test"),
        CheckRun("lint", "SUCCESS"),
        CheckRun("slow", None),
        CheckRun("stopped", "CANCELLED"),
        CheckRun("ci/other", "ERROR", is_status=True, summary="It broke"),
    ]
    github.default_checks.append(CheckRun("lint"))
    found = review(github, made.number)
    assert [(each.name, each.state) for each in found.checks] == [
        ("CI / test", "failed"),
        ("CI / lint", "passed"),
        ("CI / slow", "running"),
        ("CI / stopped", ""),
        ("ci/other", "failed"),
    ]
    assert (found.checks[0].step, found.checks[4].summary) == ("Tests", "It broke")
    assert (found.default_branch, [each.state for each in found.default_checks]) == ("main", ["failed"])


def test_mark_changes_with_whatever_is_worth_reading(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    address = Address(REPOSITORY, made.number)
    seen = []

    def look() -> None:
        found = Forge().read_pull_requests("github.com", [address])[address]
        assert not isinstance(found, str)
        seen.append(found.mark)

    look()
    assert seen == [""]
    made.threads.append(ReviewThread([Remark("ana", "Too hot")]))
    look()
    made.threads[0].resolved = True
    look()
    made.check_runs.append(CheckRun("test", None))
    look()
    made.check_runs[0].conclusion = "FAILURE"
    look()
    made.updated_at = "2026-11-16T10:00:00Z"
    look()
    assert len(set(seen)) == 6


def test_failure_has_step_end_of_log_command_and_how_to_run_it_again(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    made.check_runs += [CheckRun("test", job=501), CheckRun("old", job=502)]
    github.logs[501] = LOG
    test, old = review(github, made.number).checks
    found = Forge().read_failure(REPOSITORY, test)
    assert (found.step, found.command) == ("Tests", "make lint\nmake test")
    assert found.log.endswith("FAILED tests/test_tea.py::test_steep\n##[error]Process completed with exit code 2.")
    assert "\x1b" not in found.log
    assert "cleanup" not in found.log
    assert found.rerun == "gh run rerun 77 --failed --repo github.com/o/r"
    assert Forge().read_failure(REPOSITORY, old).log == ""  # GitHub has deleted it
    github.go_offline()
    with pytest.raises(ForgeUnavailable):
        Forge().read_failure(REPOSITORY, test)


def test_long_log_is_cut_to_its_end() -> None:
    log = "##[group]Run make\nshell: bash\n##[endgroup]\n" + "".join(f"line {n} {'x' * 300}\n" for n in range(9999))
    found = failure_of(Check("test", "failed", run=1), REPOSITORY, f"{log}##[error]Process completed with exit code 1.")
    assert len(found.log) <= 6000
    assert "line 9998" in found.log
    assert found.command == "make"


def test_reply_goes_into_its_thread_and_a_missing_thread_refuses(github: GitHub) -> None:
    made = github.open_pull_request("feat/tea")
    made.threads.append(ReviewThread([Remark("ana", "Too hot")]))
    text = 'Cooled "it" 🍵\nto 90 ' + "x" * 60_000
    address = Address(REPOSITORY, made.number)
    assert Forge().post_reply(address, made.threads[0].key, text).startswith("https://")
    assert made.threads[0].remarks[1].body == text
    with pytest.raises(Refused, match="Could not resolve"):
        Forge().post_reply(address, "PRRT_0", "x")


@pytest.mark.parametrize(
    ("hunk", "side", "lines", "quote"),
    [
        (HUNK, "new", (2, 3), "boil(water, 90)\nsteep(3)"),
        (HUNK, "old", (2, 2), "boil(water)"),
        (HUNK, "new", (99, 99), ""),
        ("", "new", (1, 1), ""),
        ("@@ -1 +x @@\n+a", "new", (1, 1), ""),
        ("@@ nonsense", "old", (1, 1), ""),
        ("@@ -1 +1 @@\n-a\r\n+b\r\n\\ No newline at end of file", "new", (1, 1), "b"),
    ],
)
def test_quote_is_the_lines_of_the_hunk_that_were_commented_on(
    hunk: str, side: str, lines: tuple[int, int], quote: str
) -> None:
    assert quote_of(hunk, side, lines) == quote


KEYS = [
    "data",
    "errors",
    "p0",
    "pullRequest",
    "reviewThreads",
    "reviews",
    "comments",
    "nodes",
    "totalCount",
    "id",
    "line",
    "startLine",
    "originalLine",
    "path",
    "body",
    "diffHunk",
    "author",
    "login",
    "state",
    "commits",
    "commit",
    "statusCheckRollup",
    "contexts",
    "__typename",
    "name",
    "status",
    "conclusion",
    "steps",
]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=9)
    | st.sampled_from(["CheckRun", "FAILURE", "COMPLETED", HUNK, "CHANGES_REQUESTED", "../../etc/passwd"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=30,
)


@given(found=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), more=VALUES)
def test_any_reply_gives_a_review_or_a_sentence(found: dict[str, Any], more: object) -> None:
    here = [Address(REPOSITORY, 7)]
    reply: dict[str, Any] = {"data": {"p0": {"pullRequest": found, "defaultBranchRef": more}}}
    (parsed,) = parse_reply(reply, here)
    assert isinstance(parsed, PullRequestReview)
    assert all(thread.comments for thread in parsed.threads)
    assert isinstance(parse_reply({"data": {"p0": more}}, here)[0], PullRequestReview | str)
    pull_requests.parse_reply(reply, here)
    assert query_for(here).count("pullRequest(number:7)") == 1
