from till.cart import Cart


def test_members_pay_a_twentieth_less():
    cart = Cart()
    cart.member = True
    cart.add("tea", 10000)
    assert cart.total() == 9500
