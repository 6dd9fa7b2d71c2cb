package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T6PiecesTest {
    @Test
    public void piecesAreCounted() {
        Cart cart = new Cart();
        cart.add("tea", 6000, 2);
        cart.add("pot", 1000, 3);
        assertEquals(5, cart.pieces());
    }
}
