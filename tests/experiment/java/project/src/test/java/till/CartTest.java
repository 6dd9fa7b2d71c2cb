package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
    @Test
    public void anEmptyCartCostsNothing() {
        assertEquals(0, new Cart().total());
    }
}
