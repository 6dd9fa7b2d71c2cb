package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T4ReceiptTest {
    @Test
    public void aReceiptHasALineForEachAndTheTotal() {
        Cart cart = new Cart();
        cart.add("tea", 6000, 2);
        assertEquals("2 tea\n12000\n", new Receipt().print(cart));
    }
}
