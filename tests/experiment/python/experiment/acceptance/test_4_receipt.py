from till.cart import Cart
from till.receipt import receipt


def test_a_receipt_has_a_line_for_each_and_the_total():
    cart = Cart()
    cart.add("tea", 6000, 2)
    assert receipt(cart) == "2 tea\n12000\n"
