package org.example;
public class Cart {
    public int total(int count, int price) {
        if (count < 0) {
            throw new IllegalArgumentException("count");
        }
        return count * price;
    }
}
