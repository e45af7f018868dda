"""What a model's tokens cost: prices in dollars per million tokens, found by the model's name.

Vendors and agents write one model's name in many ways. The rule by which it is found: the name as it is; else its last
part (after the last `/`, or after Bedrock's `anthropic.`), in lower case, dots as dashes, without what stands in
brackets or after `@`, and without a date at its end, nor, of Claude, Bedrock's version. So
`anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5-20250929` are one model. A model that is not
found has no price, and nobody guesses one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLION = 1_000_000
_HOUR_WRITE_FACTOR = (
    2.0  # a cache that is kept for an hour costs twice the input to write, with every vendor who has it
)
_PROVIDER = re.compile(r".*(?:/|\banthropic\.)")
_REMARK = re.compile(r"\[[^\]]*\]|@.*")
_BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+)?$")
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@record
class Tokens:
    """The tokens of one message."""

    input: int = 0  # without what came from the cache or was written to it
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    hour_write: int = 0  # of `cache_write`: what is kept for an hour

    @property
    def prompt(self) -> int:
        """Everything that the model was sent: so full is its context, and so high the tier of its price."""
        return self.input + self.cache_read + self.cache_write


@record
class Rates:
    """Dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost(self, tokens: Tokens) -> float:
        """What these tokens cost, in dollars."""
        hour = min(tokens.hour_write, tokens.cache_write)
        return (
            tokens.input * self.input
            + tokens.output * self.output
            + tokens.cache_read * self.cache_read
            + (tokens.cache_write - hour) * self.cache_write
            + hour * self.input * _HOUR_WRITE_FACTOR
        ) / _MILLION


@record
class Price:
    """The price of one model; a prompt of more than `above` tokens is charged at other rates, all of it."""

    rates: Rates
    above: int | None = None
    long_rates: Rates | None = None

    def cost(self, tokens: Tokens) -> float:
        """What one message costs, in dollars."""
        if self.above is not None and self.long_rates is not None and tokens.prompt > self.above:
            return self.long_rates.cost(tokens)
        return self.rates.cost(tokens)


@record
class PriceTable:
    """Prices by the names of models, as they are looked up (`model_key`)."""

    prices: Mapping[str, Price]

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """What a message costs; None where the model's price is not known."""
        price = self._find(model)
        return None if price is None else price.cost(tokens)

    def cost_of_sums(self, model: str, tokens: Tokens) -> float | None:
        """What many messages cost together. Which prompts were long nobody knows any more: none was."""
        price = self._find(model)
        return None if price is None else price.rates.cost(tokens)

    def _find(self, model: str) -> Price | None:
        return self.prices.get(model.lower()) or self.prices.get(model_key(model))


@lru_cache(maxsize=256)  # each message of an agent asks for it
def model_key(model: str) -> str:
    """The name under which a model's price is found (see above)."""
    last = _REMARK.sub("", _PROVIDER.sub("", model.strip().lower()))
    if last.startswith("claude-"):  # of other models, v3 and v4 are two
        last = _BEDROCK_VERSION.sub("", last)
    return _DATE.sub("", last).replace(".", "-")
