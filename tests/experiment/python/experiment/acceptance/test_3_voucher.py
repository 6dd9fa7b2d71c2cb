from till.cart import Cart


def test_a_voucher_takes_500_off():
    cart = Cart()
    cart.voucher = "FIVE"
    cart.add("tea", 6000)
    assert cart.total() == 5500


def test_a_voucher_never_pays_out():
    cart = Cart()
    cart.voucher = "FIVE"
    cart.add("tea", 300)
    assert cart.total() == 0
