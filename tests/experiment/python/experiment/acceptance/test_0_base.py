import pytest

from till.cart import Cart


def test_lines_add_up():
    cart = Cart()
    cart.add("tea", 3000, 2)
    assert cart.total() == 6000


def test_nothing_is_no_line():
    with pytest.raises(ValueError):
        Cart().add("tea", 3000, 0)
