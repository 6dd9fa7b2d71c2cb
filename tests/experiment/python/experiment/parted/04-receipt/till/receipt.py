def receipt(cart):
    text = ""
    for name, _, count in cart.lines:
        text += f"{count} {name}\n"
    return text + f"{cart.total()}\n"
