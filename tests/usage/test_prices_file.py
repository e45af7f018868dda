"""Prices of a home: the shipped ones, then prices.yml, then `prices:` in config.yml; mistakes have file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.usage.prices import Tokens
from orange_tui.home.paths import Home
from orange_tui.usage.prices_file import Prices, check_prices

if TYPE_CHECKING:
    from pathlib import Path

_MILLION = Tokens(input=1_000_000)


def _cost(tmp_path: Path, model: str) -> float | None:
    problems: list[str] = []
    found = Prices(Home(str(tmp_path)), problems.append).table().cost(model, _MILLION)
    assert problems == []
    return found


def test_shipped_prices_are_those_that_claude_code_itself_counts_with(tmp_path: Path) -> None:
    prices = Prices(Home(str(tmp_path)), pytest.fail).table()
    used = Tokens(input=12_400, output=364, cache_read=2_400, cache_write=1_600)
    assert prices.cost("claude-opus-5-5", used) == pytest.approx(0.06536)  # as its recorded `cost-state` says


def test_prices_of_the_home_and_of_config_win_in_this_order(tmp_path: Path) -> None:
    assert _cost(tmp_path, "gpt-5.5") == 5
    (tmp_path / "prices.yml").write_text("models:\n  gpt-5.5: {input: 6, output: 1}\n  mine: {input: 2, output: 1}\n")
    assert (_cost(tmp_path, "openai/gpt-5.5"), _cost(tmp_path, "mine")) == (6, 2)
    (tmp_path / "config.yml").write_text("prices:\n  gpt-5.5: {input: 7.5, output: 1}\n")
    assert (_cost(tmp_path, "gpt-5.5"), _cost(tmp_path, "mine")) == (7.5, 2)


@pytest.mark.parametrize("name", ["openai/gpt-5.5", "gpt-5-5", "GPT-5.5-2026-04-23"])
def test_persons_price_wins_however_the_model_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.yml").write_text(f"prices:\n  {name}: {{input: 6, output: 1}}\n")
    assert {_cost(tmp_path, each) for each in ("gpt-5.5", "openai/gpt-5.5", "gpt-5-5", name)} == {6}


def test_changed_file_counts_at_once(tmp_path: Path) -> None:
    prices = Prices(Home(str(tmp_path)), pytest.fail)
    assert prices.table().cost("mine", _MILLION) is None
    (tmp_path / "prices.yml").write_text("models:\n  mine: {input: 2, output: 1}\n")
    assert prices.table().cost("mine", _MILLION) == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("models:\n  m: {input: x, output: 1}\n", 2, "a number from 0"),
        ("models:\n  m: {input: -1, output: 1}\n", 2, "a number from 0"),
        ("models:\n  m: {input: .nan, output: 1}\n", 2, "a number from 0"),
        ("models:\n  m: {input: 1}\n", 2, "no `output`"),
        ("models:\n  m: {input: 1, output: 1, cache: 2}\n", 2, "there is no price 'cache'"),
        ("models:\n  m: {input: 1, output: 1, above: {input: 1, output: 1}}\n", 2, "`tokens`"),
        ("models: [1]\n", 1, "must be a mapping"),
        ("models:\n\n  m: 1\n", 3, "must be a mapping"),
        ("models: {\n", 2, "not YAML"),
    ],
)
def test_mistake_is_said_with_file_and_line_and_the_shipped_prices_stay(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    (tmp_path / "prices.yml").write_text(text)
    problems: list[str] = []
    prices = Prices(Home(str(tmp_path)), problems.append)
    for _ in range(2):
        assert prices.table().cost("gpt-5.5", _MILLION) == 5
    [problem] = problems
    assert problem.startswith(f"{tmp_path}/prices.yml:{line}: ")
    assert words in problem
    assert list(check_prices(Home(str(tmp_path)))) == problems
