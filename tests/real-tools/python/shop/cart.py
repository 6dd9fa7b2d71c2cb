def total(count, price):
    if count < 0:
        raise ValueError("count")
    return count * price


def label(count):
    return "none" if count == 0 else f"{count} items"
