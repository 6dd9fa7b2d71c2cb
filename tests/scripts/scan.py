"""Rows, functions, keys and counts of one source file, from regular expressions and braces
(Java, Go) and from Python's own `ast` and `tokenize`.

Nothing here is fast or clever. It is a second reading of the counting rules, made to be held
against lizard and against the program; it shares no code and no grammar with either.
"""

from dataclasses import dataclass, field


@dataclass
class Row:
    name: str
    start: int
    end: int
    nloc: int = 1
    cc: int = 1
    cog: int = 0
    nested: bool = False
    fn: int = -1  # index of the function it is, or is folded into
    parent: int = -1
    cls: str | None = None
    outer_cls: str | None = None  # Java: `cls` without the enum constant whose body it is in
    one: bool = False  # Python: the body stands on the line of its colon


@dataclass
class Fn:
    key: str
    base: str
    start: int
    end: int
    row: int
    cls: str | None = None
    cc: int = 0
    cog: int = 0
    nloc: int = 0
    tokens: tuple = ()  # from its modifiers to its end, without those of functions inside it
    tokens_from_name: tuple = ()  # from the name on


@dataclass
class Source:
    rows: list = field(default_factory=list)
    fns: list = field(default_factory=list)
    exports: dict = field(default_factory=dict)  # reading -> set of keys
    nloc: int = 0
    issues: list = field(default_factory=list)
    error: str | None = None

    def owner_of_lines(self):
        """line -> index of the innermost function whose span holds it."""
        own = {}
        order = sorted(range(len(self.fns)), key=lambda i: (self.fns[i].start, -self.fns[i].end, i))
        for i in order:
            for line in range(self.fns[i].start, self.fns[i].end + 1):
                own[line] = i
        return own


def decode(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    return data.decode("utf-8", "ignore").replace("\r\n", "\n").replace("\r", "\n")


# ---------------------------------------------------------------- tokens of brace languages

class Tok:
    __slots__ = ("k", "t", "line", "end")

    def __init__(self, k, t, line, end):
        self.k, self.t, self.line, self.end = k, t, line, end

    def __repr__(self):
        return f"{self.t}@{self.line}"


def lex(rx, text):
    out, line, pos = [], 1, 0
    while pos < len(text):
        m = rx.match(text, pos)
        s = m.group()
        n = s.count("\n")
        if m.lastgroup not in ("ws", "com"):
            out.append(Tok(m.lastgroup, s, line, line + n))
        line += n
        pos = m.end()
    return out


OPEN, CLOSE = "([{", ")]}"


def match_brackets(toks):
    """index of an opening bracket -> index of its closing one."""
    pair, stack = {}, []
    for i, t in enumerate(toks):
        if t.k == "op" and t.t in OPEN:
            stack.append(i)
        elif t.k == "op" and t.t in CLOSE:
            if not stack or OPEN.index(toks[stack[-1]].t) != CLOSE.index(t.t):
                raise ValueError(f"unbalanced {t.t} in line {t.line}")
            pair[stack.pop()] = i
    if stack:
        raise ValueError("unclosed bracket")
    return pair


@dataclass
class Region:
    """One row found by a scanner: tokens lo..hi inclusive, lo its start token."""
    name: str
    lo: int
    hi: int
    body: int  # index of the body's `{`
    key: str
    base: str
    cls: str | None
    folds: bool  # belongs to the function around it, where there is one
    bare: str = ""  # own name, for recursion
    holder: str = ""  # the field or variable that is its key where nothing is around
    ctor_of: str | None = None
    head: tuple = ()  # Java: its modifiers and what else stands before the name, but annotations


def assemble(toks, regions, cc_tokens, ends=None):
    """Rows and functions with CC, NLOC and token sequences from the regions. Go's `ends` says whether
    the end of the line after a token is a semicolon."""
    src = Source()
    regions.sort(key=lambda r: (r.lo, -r.hi))
    owner = [-1] * len(toks)
    for i, r in enumerate(regions):
        parent = owner[r.lo]
        for j in range(r.lo, r.hi + 1):
            owner[j] = i
        src.rows.append(Row(r.name, toks[r.lo].line, toks[r.hi].end, nested=parent >= 0, parent=parent, cls=r.cls))
    counts = {}
    for i, r in enumerate(regions):
        row = src.rows[i]
        if r.folds and row.parent >= 0:
            row.fn = src.rows[row.parent].fn
            row.cls = src.rows[row.parent].cls
            continue
        row.fn = len(src.fns)
        key, base = r.key, r.base
        if r.folds:
            counts[r.holder] = counts.get(r.holder, 0) + 1
            key = base = r.holder if counts[r.holder] == 1 else f"{r.holder}#{counts[r.holder]}"
        src.fns.append(Fn(key, base, row.start, row.end, i, row.cls))
    last = 0
    for j, t in enumerate(toks):
        o = owner[j]
        if o >= 0 and regions[o].lo == j:
            o = src.rows[o].parent
        add = 0
        if t.line > last:
            add, last = 1, t.line
        if t.end > t.line:
            add += t.end - max(last, t.line)
            last = max(last, t.end)
        src.nloc += add
        if o >= 0:
            src.rows[o].nloc += add
            if cc_tokens(toks, j) and j >= regions[o].body:
                src.rows[o].cc += 1
    fn_toks = [([], []) for _ in src.fns]
    whole = [-1] * len(toks)
    for i, r in enumerate(regions):
        if not r.folds or src.fns[src.rows[i].fn].row == i:
            for j in (*r.head, *range(r.lo, r.hi + 1)):
                whole[j] = src.rows[i].fn
    for j, t in enumerate(toks):
        fo = src.rows[owner[j]].fn if owner[j] >= 0 else -1
        if fo >= 0:
            fn_toks[fo][1].append(t.t)
        if whole[j] >= 0:
            seq = fn_toks[whole[j]][0]
            if ends is None:
                seq.append(t.t)
                continue
            if t.t in (")", "}") and seq and seq[-1] == "\n;":
                seq.pop()
            seq.append("\n;" if t.k == "op" and t.t == ";" else t.t)
            if ends(toks, j):
                seq.append("\n;")
    for f, (a, b) in zip(src.fns, fn_toks):
        f.tokens, f.tokens_from_name = tuple(a), tuple(b)
    return src, owner


def finish(src, language):
    for f in src.fns:
        f.cc = f.nloc = f.cog = 0
    for i, r in enumerate(src.rows):
        f = src.fns[r.fn]
        f.cc += r.cc
        f.nloc += r.nloc
        if language != "go" or f.row == i:
            f.cog += r.cog
    return src
