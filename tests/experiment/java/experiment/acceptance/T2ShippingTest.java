package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T2ShippingTest {
    @Test
    public void aSmallCartIsShipped() {
        Cart cart = new Cart();
        cart.add("seed", 1000, 1);
        assertEquals(1490, cart.total());
    }
}
