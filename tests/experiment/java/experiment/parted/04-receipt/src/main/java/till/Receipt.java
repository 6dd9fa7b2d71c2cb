package till;

/** What a customer gets. */
public class Receipt {
    public String print(Cart cart) {
        StringBuilder text = new StringBuilder();
        for (Line line : cart.lines) {
            text.append(line.count).append(" ").append(line.name).append("\n");
        }
        return text.append(cart.total()).append("\n").toString();
    }
}
