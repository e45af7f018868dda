"""A record is to its users what a frozen dataclass is; each story is told of both."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any
from unittest.mock import ANY

import pytest

from orange_tui.domain.records import record, replace


@record
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


@record
class Other:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Twin:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


@pytest.fixture(params=[Point, Twin], ids=["a record", "a dataclass"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_values_are_given_by_place_by_name_or_by_default(kind: Any) -> None:
    for point in (kind(1, 2, ("a",)), kind(x=1, tags=("a",)), kind(1, tags=("a",))):
        assert (point.x, point.y, point.tags, point.total) == (1, 2, ("a",), 3)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        pytest.param((), {}, id="a value missing"),
        pytest.param((), {"y": 3}, id="the value without a default missing"),
        pytest.param((1, 2, (), 4), {}, id="a value too many"),
        pytest.param((1,), {"z": 3}, id="a name it does not have"),
        pytest.param((1,), {"x": 1}, id="a value given twice"),
    ],
)
def test_values_that_do_not_fit_are_a_type_error(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        kind(*args, **kwargs)


def test_the_error_says_which_values_do_not_fit() -> None:
    make: Any = Point
    with pytest.raises(TypeError, match=r"Point: .*\['x', 'z'\]"):
        make(y=1, z=2)
    with pytest.raises(TypeError, match=r"Point: .*\['x'\]"):
        make(1, x=2)
    with pytest.raises(TypeError, match=r"Point: .*4 values"):
        make(1, 2, (), 4)


def test_equal_values_of_one_class_are_equal_and_hash_alike(kind: Any) -> None:
    assert kind(1) == kind(1, 2)
    assert hash(kind(1)) == hash(kind(1, 2))
    assert len({kind(1), kind(1, 2), kind(3)}) == 2
    assert kind(1) != kind(3)
    assert kind(1) != kind(1, tags=("a",))


def test_another_class_with_the_same_values_is_not_equal(kind: Any) -> None:
    assert kind(1) != Other(1)
    assert kind(1) != (1, 2, ())
    assert kind(1) is not None


def test_the_other_side_of_an_equation_is_asked_too(kind: Any) -> None:
    assert kind(1) == ANY


def test_a_value_that_cannot_be_hashed_shows_only_when_it_is_hashed(kind: Any) -> None:
    point = kind([1])
    assert point == kind([1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(point)


def test_repr_shows_every_value_in_order(kind: Any) -> None:
    assert repr(kind(y=5, x=1)) == f"{kind.__name__}(x=1, y=5, tags=())"


def test_record_cannot_be_changed(kind: Any) -> None:
    point = kind(1)
    with pytest.raises(AttributeError):
        point.x = 2
    with pytest.raises(AttributeError):
        point.new = 2
    with pytest.raises(AttributeError):
        del point.x
    assert point == kind(1)


def test_replace_returns_a_changed_copy() -> None:
    point = Point(1, 5)
    assert replace(point, x=9) == Point(9, 5)
    assert replace(point) == point
    assert point == Point(1, 5)


def test_a_copy_with_an_unknown_value_is_refused() -> None:
    with pytest.raises(TypeError, match="z"):
        replace(Point(1), z=1)


def test_records_do_not_share_what_they_are_given() -> None:
    first, second = Point(1), Point(2, 3, ("a",))
    assert (first.x, first.y, first.tags) == (1, 2, ())
    assert second.tags == ("a",)


def test_copies_and_pickles_are_equal(kind: Any) -> None:
    point = kind(1, 5, ("a",))
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_match_statement_takes_it_apart(kind: Any) -> None:
    match kind(1, 5):
        case Point(x, y, _) | Twin(x, y, _):
            assert (x, y) == (1, 5)
        case other:
            pytest.fail(f"not matched: {other}")
