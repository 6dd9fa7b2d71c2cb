"""Durations as people type them, in seconds."""

UNITS = {"s": 1, "m": 60, "h": 3600}


def parse(text):
    number, unit = text[:-1], text[-1]
    return int(number) * UNITS[unit]
