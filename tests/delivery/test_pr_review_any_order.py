"""Whatever happens in whatever order: each comment is one thread, each answer arrives once.

People comment, reply, edit, resolve and delete; the agent answers; polls come in between, some of which lose the
connection before or after something was posted, and some of which are killed between posting and noting.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.delivery.pr_review.markers import marker_in
from orange_tui.delivery.pr_review.sync import Followed, ReviewSync
from orange_tui.domain.errors import Refused
from orange_tui.domain.pull_request import PullRequest
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import ThreadReply, answered, reopened, resolved
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.review_records import PullRequestReview, RemoteComment, RemoteThread
from orange_tui.review.threads_file import ThreadsFile
from support.forge import REPOSITORY, LabForge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.outside.forge.interface import Address
    from support.driver import World


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Shaky(LabForge):
    """A forge that may fail when something is posted: before it, after it, or with the whole process."""

    threads: dict[str, RemoteThread] = field(default_factory=dict)
    fault: str = ""
    numbers: count[int] = field(default_factory=count)

    __hash__ = object.__hash__

    def said(self, text: str, *, is_own: bool = False) -> RemoteComment:
        number = next(self.numbers)
        author = "me" if is_own else "ana"
        return RemoteComment(f"c{number}", author, text, "", f"https://lab.example.org/{number}", is_own, True)

    def read_reviews(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequestReview | str]:
        self._fail("offline")
        review = PullRequestReview("a" * 40, False, tuple(self.threads.values()), (), "main", ())
        return dict.fromkeys(addresses, review)

    def post_reply(self, pull_request: Address, thread: str, text: str) -> str:
        if thread not in self.threads:
            raise Refused("there is no such thread")
        self._fail("before")
        known, said = self.threads[thread], self.said(text, is_own=True)
        self.threads[thread] = replace(known, comments=(*known.comments, said))
        self._fail("after")
        return said.url

    def post_comment(self, issue: Address, text: str) -> str:
        self._fail("before")
        said = self.said(text, is_own=True)
        self.threads[said.key] = RemoteThread(said.key, (said,), is_about_lines=False)
        self._fail("after")
        return said.url

    def _fail(self, when: str) -> None:
        if self.fault == when:
            self.fault = ""
            raise ForgeUnavailable("GitHub cannot be reached")
        if (self.fault, when) == ("kill", "after"):
            self.fault = ""
            raise Killed


class Story:
    """One task, its pull request, and everybody who has something to say."""

    def __init__(self, world: World) -> None:
        self.orange, self.forge = world.orange, Shaky()
        self.ref = world.task()
        self.file = ThreadsFile(self.orange.home, self.ref.project, self.ref.id)
        self.url, self.mark = self.forge.url(1), 0
        self.said_here: list[str] = []
        self.begin()

    def begin(self) -> None:
        """Another process."""
        self.sync = ReviewSync(self.orange.tasks)
        self.sync._own.add((self.ref.project, self.url))

    def poll(self, fault: str = "") -> None:
        self.forge.fault = fault
        address = self.forge.pull_request_address(self.url)
        assert address is not None
        self.sync._paused.clear()
        now = PullRequest(self.url, "open", mark=str(self.mark))
        try:
            self.sync.run(REPOSITORY.host, [Followed(self.ref, self.forge, address, now)])
        except ForgeUnavailable:
            pass
        except Killed:
            self.begin()
        self.forge.fault = ""

    def act(self, deed: str, place: int) -> None:
        there, here = [*self.forge.threads], self.file.read()
        if deed.startswith("poll"):
            self.poll(deed.removeprefix("poll").strip())
            return
        self.mark += 1
        if deed == "restart":
            self.begin()
        elif deed in {"comment", "remark"}:
            said = self.forge.said(f"say {next(self.forge.numbers)}")
            self.forge.threads[said.key] = RemoteThread(said.key, (said,), is_about_lines=deed == "comment")
        elif deed in HERE and here:
            self.act_here(deed, here[place % len(here)].id)
        elif deed in THERE and there:
            self.act_there(deed, there[place % len(there)])

    def act_there(self, deed: str, key: str) -> None:
        known = self.forge.threads[key]
        if deed == "delete" and not known.comments[0].is_own:
            del self.forge.threads[key]
        elif deed == "edit" and not known.comments[0].is_own:
            first = replace(known.comments[0], text=f"edited {next(self.forge.numbers)}")
            self.forge.threads[key] = replace(known, comments=(first, *known.comments[1:]))
        elif deed == "reply" and known.is_about_lines:
            said = self.forge.said(f"reply {next(self.forge.numbers)}")
            self.forge.threads[key] = replace(known, comments=(*known.comments, said))
        elif deed == "resolve" and known.is_about_lines:
            self.forge.threads[key] = replace(known, is_resolved=not known.is_resolved)

    def act_here(self, deed: str, thread_id: str) -> None:
        text = f"answer {next(self.forge.numbers)}"

        def change(thread: Thread) -> Thread:
            if deed == "settle":
                return (reopened if thread.state == "resolved" else resolved)(thread)
            return answered(thread, ThreadReply("agent", text, state=deed))

        with suppress(Refused):
            self.file.change(lambda found: [change(each) if each.id == thread_id else each for each in found])
            self.said_here += [] if deed == "settle" else [text]


THERE = ("reply", "edit", "resolve", "delete")
HERE = ("fixed", "declined", "settle")
POLLS = ("poll", "poll before", "poll after", "poll kill", "poll offline")
DEEDS = st.tuples(st.sampled_from(["comment", "remark", "restart", *THERE, *HERE, *POLLS]), st.integers(0, 5))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(DEEDS, max_size=25))
def test_each_comment_is_one_thread_and_each_answer_arrives_once(world: World, deeds: list[tuple[str, int]]) -> None:
    story = Story(world)
    for deed, place in [("comment", 0), ("poll", 0), *deeds]:
        story.act(deed, place)
    story.mark += 1
    story.poll()
    story.poll()
    threads = story.file.read()
    there = [comment for each in story.forge.threads.values() for comment in each.comments]
    posted = [comment for comment in there if comment.is_own]
    for text in story.said_here:
        copies = [comment for comment in posted if comment.text.split("\n\n")[-2].endswith(f": {text}")]
        homes = [thread.remote for thread in threads if text in [reply.text for reply in thread.replies]]
        is_gone = homes[0].removeprefix("comment:") not in story.forge.threads
        assert len(copies) == 1 or (is_gone and not copies), (text, copies)
    markers = [marker_in(comment.text) for comment in posted]
    assert len(set(markers)) == len(markers)
    keys = [each.remote.removeprefix("comment:") for each in threads]
    assert len(set(keys)) == len(keys)
    known = {reply.remote for each in threads for reply in each.replies}
    for each in story.forge.threads.values():
        if each.key not in keys:
            assert each.is_resolved or each.comments[0].is_own
            continue
        missing = [c.key for c in each.comments[1:] if not c.is_own and c.key not in known]
        assert missing == []
    replies = [reply for each in threads for reply in each.replies if reply.by == "github"]
    said = [reply.text for reply in replies if reply.remote != "deleted"]
    assert len(set(said)) == len(said)
