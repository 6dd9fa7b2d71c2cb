package till;

import java.util.ArrayList;
import java.util.List;

/** A shopping cart; all amounts in cents. */
public class Cart {
    final List<Line> lines = new ArrayList<>();

    public void add(String name, int price, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count");
        }
        lines.add(new Line(name, price, count));
    }

    public int total() {
        int total = 0;
        for (Line line : lines) {
            total += line.price * line.count;
        }
        return total;
    }
}
