from till.cart import Cart


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0


def test_lines_add_up():
    cart = Cart()
    cart.add("tea", 3000)
    cart.add("pot", 1250, 2)
    assert cart.total() == 5500
