"""A pull request's status: read from any file, kept while the forge is away, and when a person should look."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.pull_request import PullRequest, PullRequestStatus, status_from_file

URL = "https://github.com/o/r/pull/7"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["open", "OPEN", URL, "p0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "errors", "p0", "pullRequest", "state", "commits", "nodes", "path", "url", "message"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*PullRequestStatus.__annotations__, "other"]), VALUES))
def test_any_file_gives_a_status(values: dict[str, Any]) -> None:
    status = status_from_file(URL, {"url": URL, **values})
    assert status.url == URL
    assert isinstance(str(status), str)
    assert isinstance(status.needs(), str | None)


@given(
    st.builds(
        PullRequestStatus,
        url=st.just(URL),
        state=st.sampled_from(["", "open", "merged", "closed"]),
        draft=st.booleans(),
        checks=st.sampled_from(["", "passed", "failed", "running"]),
        review=st.sampled_from(["", "approved", "changes requested", "review wanted"]),
        problem=st.text(),
        since=st.text(),
    )
)
def test_status_comes_back_from_its_file_as_it_was(status: PullRequestStatus) -> None:
    assert status_from_file(URL, {name: value for name, value in status.__dict__.items() if value}) == status


def test_what_was_known_stays_known_while_the_forge_does_not_answer() -> None:
    known = PullRequestStatus(URL).updated(PullRequest(URL, "open", checks="failed"))
    unsure = known.updated("GitHub cannot be reached")
    assert str(unsure) == "GitHub cannot be reached (before: open · checks failed)"
    assert unsure.needs() == known.needs() == "The checks of pull request #7 failed"
    assert unsure.updated(PullRequest(URL, "open", checks="failed")) == known


def test_name_is_the_number_in_the_url_of_a_pull_request() -> None:
    assert [PullRequestStatus(url).name for url in (URL, f"{URL}/", "https://example.org/7", "")] == [
        "#7",
        "#7",
        "PR",
        "PR",
    ]
