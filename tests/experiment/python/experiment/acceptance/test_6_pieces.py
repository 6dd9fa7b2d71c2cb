from till.cart import Cart


def test_pieces_are_counted():
    cart = Cart()
    cart.add("tea", 6000, 2)
    cart.add("pot", 1000, 3)
    assert cart.pieces() == 5
