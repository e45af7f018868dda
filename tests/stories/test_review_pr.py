"""The whole life of a review: a stranger's pull request, a real agent that comments on it, and one review on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.review_pr import ReviewRequest, create_review
from orange_tui.delivery.send_review import APPROVE, ReviewSender
from orange_tui.review.threads_file import ThreadsFile

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.live_home import LiveHome


def test_reviewer_comments_on_a_pull_request_and_the_person_sends_it(live_home: LiveHome, github: GitHub) -> None:
    github.adopt(live_home.repository)
    there = live_home.root / "theirs"
    live_home.git("clone", "-q", str(live_home.remote), str(there), at=live_home.root)
    (there / "tea.py").write_text("def tea(cups):\n    return cups\n")
    live_home.git("add", "tea.py", at=there)
    live_home.git("commit", "-q", "-m", "Tea", at=there)
    head = live_home.git("rev-parse", "HEAD", at=there)
    opened = github.open_pull_request("tea", head_commit=head, title="Offer tea", author="stranger", from_fork=True)
    opened.diff_lines = {"tea.py": {1, 2}}
    live_home.git("push", "-q", "origin", f"HEAD:refs/pull/{opened.number}/head", at=there)
    ref = create_review(live_home.orange.tasks, ReviewRequest("coffee", str(opened.number), "demo")).ref
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    (thread,) = ThreadsFile(live_home.orange.home, ref.project, ref.id).read()
    assert (thread.by, thread.state, thread.place) == ("reviewer", "open", "tea.py:2")
    assert live_home.windows(ref) == []
    ReviewSender(live_home.orange.tasks).send(ref, "Almost.", APPROVE)
    (review,) = opened.submitted
    assert [(each["path"], each["line"]) for each in review["comments"]] == [("tea.py", 2)]  # type: ignore[attr-defined]
    assert live_home.rests(ref, "done")
    assert live_home.git("for-each-ref", "refs/heads", at=live_home.remote).count("\n") == 0  # nothing was pushed
    assert live_home.refused() == []
