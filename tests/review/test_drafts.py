"""What a person writes in a review is theirs: saved as they type, and never in somebody else's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import Thread, resolved, sent
from orange_tui.review.drafts import Drafts

if TYPE_CHECKING:
    from support.driver import World

NEW = Thread("", "brew.py", 3, None, "cups = 1", None, "person", "", "draft")


def test_words_for_what_somebody_else_has_sent_meanwhile_are_the_persons_own(world: World) -> None:
    ref = world.task()
    drafts = Drafts(world.orange.store, ref)
    theirs = Thread("", "", None, None, "", None, "github", "Why?", "draft", author="eve", remote="k", url="https://x")
    (known,) = drafts.file.change(lambda _none: [theirs])
    drafts.file.change(lambda found: [resolved(sent(each)) for each in found])
    made = drafts.save(known, "Because.")
    assert (made.by, made.author, made.remote, made.url, made.state) == ("person", "", "", "", "draft")
    assert drafts.file.read() == (replace(known, state="resolved"), made)


@pytest.fixture
def drafts(world: World) -> Drafts:
    return Drafts(world.orange.store, world.task())


def texts(drafts: Drafts) -> list[tuple[str, str]]:
    return [(each.state, each.text) for each in drafts.file.read()]


def test_what_is_typed_grows_in_one_draft_and_the_journal_hears_of_it_once(drafts: Drafts) -> None:
    saved = drafts.save(NEW, "Wh")
    saved = drafts.save(saved, "Why")
    drafts.save(saved, "Why not?\n")
    assert texts(drafts) == [("draft", "Why not?")]
    events = [event["type"] for event in drafts.store.journal(drafts.ref).events()]
    assert events.count("thread.added") == 1


def test_draft_that_another_app_has_sent_meanwhile_stays_and_the_text_becomes_another(drafts: Drafts) -> None:
    saved = drafts.save(NEW, "Why")
    drafts.file.change(lambda threads: [sent(each) for each in threads])
    drafts.save(saved, "Why")
    assert texts(drafts) == [("open", "Why")]
    again = drafts.save(saved, "Why not?")
    drafts.save(again, "Why not?!")
    assert texts(drafts) == [("open", "Why"), ("draft", "Why not?!")]


def test_answer_is_there_once_though_what_comes_after_it_has_failed(drafts: Drafts) -> None:
    made = drafts.save(NEW, "Why")
    drafts.file.change(lambda threads: [sent(each) for each in threads])
    for text in ("Because.", "Because.\n", "So.", "Because."):
        drafts.reply(made.id, text)
    assert [each.text for each in drafts.file.read()[0].replies] == ["Because.", "So.", "Because."]


def test_draft_that_another_app_has_deleted_meanwhile_comes_back_with_the_text(drafts: Drafts) -> None:
    saved = drafts.save(NEW, "Why")
    drafts.delete(saved.id)
    again = drafts.save(saved, "Why not?")
    assert again.id != saved.id
    assert texts(drafts) == [("draft", "Why not?")]


def test_answer_is_kept_until_it_is_sent(drafts: Drafts) -> None:
    thread = drafts.save(NEW, "Why")
    with pytest.raises(Refused, match="is a draft"):
        drafts.reply(thread.id, "Because")
    drafts.file.change(lambda threads: [sent(each) for each in threads])
    drafts.keep("reply t1", "Bec")
    drafts.keep("words", "Please")
    assert drafts.unfinished() == {"reply t1": "Bec", "words": "Please"}
    drafts.reply(thread.id, "Because")
    drafts.keep("reply t1", " ")
    assert drafts.unfinished() == {"words": "Please"}
    assert [reply.text for reply in drafts.file.read()[0].replies] == ["Because"]
    drafts.resolve_or_reopen(drafts.file.read()[0])
    assert texts(drafts) == [("resolved", "Why")]
    drafts.resolve_or_reopen(drafts.file.read()[0])
    assert texts(drafts) == [("open", "Why")]
