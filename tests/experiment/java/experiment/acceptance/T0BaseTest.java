package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T0BaseTest {
    @Test
    public void linesAddUp() {
        Cart cart = new Cart();
        cart.add("tea", 3000, 2);
        assertEquals(6000, cart.total());
    }

    @Test(expected = IllegalArgumentException.class)
    public void nothingIsNoLine() {
        new Cart().add("tea", 3000, 0);
    }
}
