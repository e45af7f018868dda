"""What a person writes in a review is theirs: saved as they type, and never in somebody else's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import Thread, resolved, sent
from orange_tui.review.drafts import Drafts

if TYPE_CHECKING:
    from support.driver import World


def test_words_for_what_somebody_else_has_sent_meanwhile_are_the_persons_own(world: World) -> None:
    ref = world.task()
    drafts = Drafts(world.orange.store, ref)
    theirs = Thread("", "", None, None, "", None, "github", "Why?", "draft", author="eve", remote="k", url="https://x")
    (known,) = drafts.file.change(lambda _none: [theirs])
    drafts.file.change(lambda found: [resolved(sent(each)) for each in found])
    made = drafts.save(known, "Because.")
    assert (made.by, made.author, made.remote, made.url, made.state) == ("person", "", "", "", "draft")
    assert drafts.file.read() == (replace(known, state="resolved"), made)
