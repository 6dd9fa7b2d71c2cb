package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T3VoucherTest {
    @Test
    public void aVoucherTakes500Off() {
        Cart cart = new Cart();
        cart.voucher = "FIVE";
        cart.add("tea", 6000, 1);
        assertEquals(5500, cart.total());
    }
}
