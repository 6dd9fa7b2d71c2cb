package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T1BulkTest {
    @Test
    public void tenOfAKindCostATenthLess() {
        Cart cart = new Cart();
        cart.add("seed", 1000, 10);
        assertEquals(9000, cart.total());
    }
}
