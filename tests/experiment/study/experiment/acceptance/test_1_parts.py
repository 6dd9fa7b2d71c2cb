import pytest

from duration.parse import parse


def test_one_part():
    assert parse("90s") == 90


def test_parts_add_up():
    assert parse("1h30m") == 5400


def test_blanks_between_parts():
    assert parse("1h 30m") == 5400


def test_blanks_around():
    assert parse(" 2m ") == 120


def test_a_number_alone_is_seconds():
    assert parse("45") == 45


def test_nothing_is_an_error():
    with pytest.raises(ValueError):
        parse("")
