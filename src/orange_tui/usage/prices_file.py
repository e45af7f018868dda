"""The prices of models: those that come with Orange, then `prices.yml` of a home, then `prices:` in its config.yml.

Each file adds models and replaces the prices of those before it. A mistake is an error with file and line: the price
of a model is never guessed.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, OrangeError, Unreadable
from orange_tui.domain.text import yaml_text
from orange_tui.domain.usage.prices import Price, PriceTable, Rates, model_key
from orange_tui.home.files import read_bytes, read_signature
from orange_tui.home.paths import shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import yaml

    from orange_tui.home.files import Signature
    from orange_tui.home.paths import Home

_RATES = ("input", "output", "cache_read", "cache_write")
_MOST_DOLLARS = 100_000.0  # per million tokens
_MOST_TOKENS = 100_000_000


class Prices:
    """The prices of one home, read again when one of their files has changed."""

    def __init__(self, home: Home, report: Callable[[str], None]) -> None:
        self._files = [(os.path.join(shipped("prices"), "prices.yml"), "models"), *_persons_files(home)]
        self._report = report
        self._signatures: list[Signature | None] = []
        self._table = PriceTable({})

    def signatures(self) -> list[Signature | None]:
        """What changes when prices do."""
        return [read_signature(path) for path, _ in self._files]

    def table(self) -> PriceTable:
        """The prices as they are now; a file with a mistake is reported once, and does without all its prices."""
        signatures = self.signatures()
        if signatures != self._signatures:
            self._signatures = signatures
            found: dict[str, Price] = {}
            for path, key in self._files:
                try:
                    read = _read(path, key)
                    others = {name: price for name, price in found.items() if model_key(name) not in read}
                    found = others | read
                except OrangeError as problem:
                    self._report(str(problem))
            self._table = PriceTable(found)
        return self._table


def check_prices(home: Home) -> Iterator[str]:
    """What is wrong with the prices of a person, a sentence for each file."""
    for path, key in _persons_files(home):
        try:
            _read(path, key)
        except OrangeError as problem:
            yield str(problem)


def _persons_files(home: Home) -> list[tuple[str, str]]:
    return [(os.path.join(home.root, "prices.yml"), "models"), (os.path.join(home.root, "config.yml"), "prices")]


def _read(path: str, key: str) -> dict[str, Price]:
    """The prices below a key of a file, by the names under which they are found; none where there is no file."""
    try:
        return prices_in(read_bytes(path, max_bytes=yaml_text.MAX_BYTES).decode(), path, key)
    except NotFound:
        return {}
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is not UTF-8 text") from None


def prices_in(text: str, path: str, key: str) -> dict[str, Price]:
    """The prices below a key of a text; what is wrong is an error with the line in `path`."""
    try:
        node = yaml_text.compose(text)
        top = yaml_text.mapping_entries(node) if node is not None else []
        models = next((value for name, _, value in top if name == key and not yaml_text.is_null(value)), None)
        entries = yaml_text.mapping_entries(models) if models is not None else []
        read = [(name, _price(value)) for name, _, value in entries]
    except Unreadable as problem:
        if problem.line is None:
            raise Unreadable(f"{path}: {problem.reason}") from None
        raise Unreadable(f"{path}:{problem.line}: {problem.reason}") from None
    return {model_key(name): price for name, price in read} | {name.lower(): price for name, price in read}


def _price(node: yaml.Node) -> Price:
    entries = {name: value for name, _, value in yaml_text.mapping_entries(node)}
    above = entries.pop("above", None)
    rates = _rates(node, entries)
    if above is None:
        return Price(rates)
    longer = {name: value for name, _, value in yaml_text.mapping_entries(above)}
    tokens = longer.pop("tokens", None)
    if tokens is None:
        raise Unreadable("`above` has no `tokens`; write from how many on", line=yaml_text.line_of(above))
    return Price(rates, int(_number(tokens, _MOST_TOKENS)), _rates(above, longer))


def _rates(node: yaml.Node, entries: dict[str, yaml.Node]) -> Rates:
    for name in entries:
        if name not in _RATES:
            known = ", ".join((*_RATES, "above"))
            raise Unreadable(f"there is no price '{name[:60]}'; there are {known}", line=yaml_text.line_of(node))
    missing = [name for name in ("input", "output") if name not in entries]
    if missing:
        raise Unreadable(f"the price has no `{missing[0]}`; write dollars per million", line=yaml_text.line_of(node))
    numbers = {name: _number(value, _MOST_DOLLARS) for name, value in entries.items()}
    paid, got = numbers["input"], numbers["output"]
    return Rates(paid, got, numbers.get("cache_read", paid), numbers.get("cache_write", paid))


def _number(node: yaml.Node, most: float) -> float:
    value = yaml_text.to_value(node)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
        raise Unreadable(f"a price must be a number from 0 to {most:,.0f}", line=yaml_text.line_of(node))
    return float(value)
