from till.cart import Cart


def test_a_small_cart_is_shipped_for_490():
    cart = Cart()
    cart.add("seed", 1000)
    assert cart.total() == 1490


def test_an_empty_cart_is_not_shipped():
    assert Cart().total() == 0
