from duration.parse import parse


def test_days():
    assert parse("2d") == 172800
