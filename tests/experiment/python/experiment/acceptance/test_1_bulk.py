from till.cart import Cart


def test_ten_of_a_kind_cost_a_tenth_less():
    cart = Cart()
    cart.add("seed", 1000, 10)
    assert cart.total() == 9000


def test_nine_of_a_kind_do_not():
    cart = Cart()
    cart.add("seed", 1000, 9)
    assert cart.total() == 9000
