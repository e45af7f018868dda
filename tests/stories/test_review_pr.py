"""The whole life of a review: a stranger's pull request, a real agent that comments on it, and one review on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.review_pr import ReviewRequest, create_review
from orange_tui.delivery.send_review import APPROVE, ReviewSender
from orange_tui.review.threads_file import ThreadsFile

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.office import Office


def test_reviewer_comments_on_a_pull_request_and_the_person_sends_it(office: Office, github: GitHub) -> None:
    github.adopt(office.repository)
    there = office.root / "theirs"
    office.git("clone", "-q", str(office.remote), str(there), at=office.root)
    (there / "tea.py").write_text("def tea(cups):\n    return cups\n")
    office.git("add", "tea.py", at=there)
    office.git("commit", "-q", "-m", "Tea", at=there)
    head = office.git("rev-parse", "HEAD", at=there)
    opened = github.open_pull_request("tea", head_commit=head, title="Offer tea", author="stranger", from_fork=True)
    opened.diff_lines = {"tea.py": {1, 2}}
    office.git("push", "-q", "origin", f"HEAD:refs/pull/{opened.number}/head", at=there)
    ref = create_review(office.orange.tasks, ReviewRequest("coffee", str(opened.number), "demo")).ref
    office.supervised(lambda: office.rests(ref, "reviewing"))
    (thread,) = ThreadsFile(office.orange.home, ref.project, ref.id).read()
    assert (thread.by, thread.state, thread.place) == ("reviewer", "open", "tea.py:2")
    assert office.windows(ref) == []
    ReviewSender(office.orange.tasks).send(ref, "Almost.", APPROVE)
    (review,) = opened.submitted
    assert [(each["path"], each["line"]) for each in review["comments"]] == [("tea.py", 2)]  # type: ignore[attr-defined]
    assert office.rests(ref, "done")
    assert office.git("for-each-ref", "refs/heads", at=office.remote).count("\n") == 0  # nothing was pushed
    assert office.refused() == []
