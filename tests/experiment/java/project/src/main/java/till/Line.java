package till;

/** So many of a kind, and what one costs. */
class Line {
    final String name;
    final int price;
    final int count;

    Line(String name, int price, int count) {
        this.name = name;
        this.price = price;
        this.count = count;
    }
}
