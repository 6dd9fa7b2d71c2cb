package till;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class T5MemberTest {
    @Test
    public void membersPayATwentiethLess() {
        Cart cart = new Cart();
        cart.member = true;
        cart.add("tea", 10000, 1);
        assertEquals(9500, cart.total());
    }
}
