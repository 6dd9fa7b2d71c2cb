import pytest

from shop.cart import label, total


@pytest.mark.parametrize("count, price, wanted", [(1, 3, 3), (2, 3, 6)])
def test_total(count, price, wanted):
    assert total(count, price) == wanted


def test_wrong():
    assert total(1, 1) == 2


@pytest.mark.skip(reason="later")
def test_later():
    pass


@pytest.mark.xfail
def test_known():
    assert total(1, 1) == 2


@pytest.fixture
def broken():
    raise RuntimeError("no service")


def test_service(broken):
    pass


class TestLabel:
    @pytest.mark.parametrize("text", ["a|b", "x::y"])
    def test_pipe(self, text):
        assert label(0) == "none"
