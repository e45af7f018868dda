"""What tokens cost: the model is found whatever it is called, and tiers and long caches have their rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.prices import Price, PriceTable, Rates, Tokens, model_key

_RATES = Rates(3, 15, 0.3, 3.75)
_TABLE = PriceTable({"claude-sonnet-4-5": Price(_RATES, 200_000, Rates(6, 22.5, 0.6, 7.5))})


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4.5",
        "Claude-Sonnet-4-5-latest",
        "anthropic/claude-sonnet-4.5",
        "openrouter/anthropic/claude-sonnet-4.5",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5[1m]",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
)
def test_model_is_found_by_every_name_that_agents_give_it(name: str) -> None:
    assert _TABLE.cost(name, Tokens(input=1_000_000 // 10)) == pytest.approx(0.3)


@pytest.mark.parametrize("name", ["", "claude-sonnet-4", "claude-sonnet-4-5-fast", "claude-sonnet-4-5:free", "gpt-5"])
def test_model_that_is_another_one_has_no_price(name: str) -> None:
    assert _TABLE.cost(name, Tokens(input=1)) is None


def test_two_versions_of_another_vendor_are_two_models() -> None:
    assert model_key("deepseek/deepseek-v3") != model_key("deepseek-v4") != model_key("deepseek")
    assert model_key("anthropic.claude-opus-4-6-v1") == model_key("claude-opus-4.6")


def test_long_prompt_is_charged_at_the_higher_rates_all_of_it() -> None:
    just, over = Tokens(input=100_000, cache_read=100_000), Tokens(input=100_000, cache_read=100_001)
    assert _TABLE.cost("claude-sonnet-4-5", just) == pytest.approx(0.33)
    assert _TABLE.cost("claude-sonnet-4-5", over) == pytest.approx(0.66, rel=1e-4)


def test_cache_that_is_kept_for_an_hour_costs_twice_the_input() -> None:
    assert _RATES.cost(Tokens(cache_write=1_000_000)) == pytest.approx(3.75)
    assert _RATES.cost(Tokens(cache_write=1_000_000, hour_write=400_000)) == pytest.approx(0.6 * 3.75 + 0.4 * 6)


@given(st.text(max_size=60))
def test_any_name_is_found_again_under_its_key(name: str) -> None:
    key = model_key(name)
    assert PriceTable({key: Price(_RATES)}).cost(name, Tokens(input=1)) is not None
