"""A shopping cart; all amounts in cents."""


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, name, price, count=1):
        if count < 1:
            raise ValueError("count")
        self.lines.append((name, price, count))

    def total(self):
        total = 0
        for _, price, count in self.lines:
            total += price * count
        return total
