"""Go: rows, keys, classes, exported names and cognitive scores, from tokens and braces."""

import re

from scan import OPEN, Region, assemble, finish, lex, match_brackets

GO = re.compile(
    r"""(?P<ws>\s+)|(?P<com>//[^\n]*|/\*.*?\*/)|(?P<str>`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<id>[^\W\d]\w*)|(?P<num>\.?\d(?:[eEpP][+-]|[\w.])*)"""
    r"""|(?P<op>&&|\|\||:=|<-|\.\.\.|&\^|==|<=|>=|!=|\+\+|--|<<|>>|.)""", re.S)


# after these the end of a line is no semicolon
KEYWORDS = {"case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import",
            "interface", "map", "package", "range", "select", "struct", "switch", "type", "var"}


class GoScan:
    def __init__(self, text):
        self.t = lex(GO, text)
        self.pair = match_brackets(self.t)
        self.regions = []
        self.top_names = set()
        self.exports = set()

    def s(self, i):
        return self.t[i].t if i < len(self.t) else ""

    def same_line(self, i):
        return i < len(self.t) and self.t[i].line == self.t[i - 1].end

    def type_end(self, i):
        """Index after the type at i, or i where no type stands there."""
        c = self.s(i)
        if i >= len(self.t):
            return i
        if c in ("*", "<-"):
            return self.type_end(i + 1)
        if c == "...":
            return self.type_end(i + 1)
        if c == "[":
            return self.type_end(self.pair[i] + 1)
        if c == "(":
            return self.pair[i] + 1
        if c == "map":
            return self.type_end(self.pair[i + 1] + 1)
        if c == "chan":
            return self.type_end(i + 2 if self.s(i + 1) == "<-" else i + 1)
        if c == "func":
            return self.signature_end(i + 1)
        if c in ("struct", "interface"):
            return self.pair[i + 1] + 1
        if self.t[i].k == "id":
            i += 1
            while self.s(i) == "." and self.t[i + 1].k == "id":
                i += 2
            if self.s(i) == "[" and self.same_line(i):
                i = self.pair[i] + 1
            return i
        return i

    def signature_end(self, i):
        """Index after (params) result, i at the parameters' bracket."""
        i = self.pair[i] + 1
        if self.same_line(i) and (self.t[i].k == "id" or self.s(i) in ("*", "[", "(", "<-")):
            return self.type_end(i)
        return i

    def unit(self):
        i, n = 0, len(self.t)
        while i < n:
            c = self.s(i)
            if c == "func":
                i = self.decl(i)
                continue
            if c == "type":
                i = self.types(i)
                continue
            if c in ("var", "const"):
                i = self.values(i)
                continue
            i += 1
        self.regions.sort(key=lambda r: r.lo)
        return self.regions

    def types(self, i):
        def one(j):
            self.top_names.add(self.s(j))
            if self.s(j)[:1].isupper():
                self.exports.add("type " + self.s(j))
            k = j + 1
            if self.s(k) == "[" and self.t[k + 1].k == "id" and self.t[k + 2].t not in ("]",):
                k = self.pair[k] + 1
            if self.s(k) == "=":
                k += 1
            return self.type_end(k)
        if self.s(i + 1) != "(":
            return one(i + 1)
        j, hi = i + 2, self.pair[i + 1]
        while j < hi:
            j = max(one(j), j + 1)
            if self.s(j) == ";":
                j += 1
        return hi + 1

    def values(self, i):
        """A package-level var or const: literals in it are functions of its name."""
        grouped = self.s(i + 1) == "("
        j = i + 2 if grouped else i + 1
        hi = self.pair[i + 1] if grouped else len(self.t)
        name = self.s(j)
        self.top_names.add(name)
        while j < hi:
            if self.t[j].line > self.t[j - 1].end or self.s(j - 1) in ("(", ";"):
                if not grouped and j > i + 1 and self.starts_new(j):
                    break
                if self.t[j].k == "id" and (grouped and self.starts_new(j)):
                    name = self.s(j)
                    self.top_names.add(name)
            if self.s(j) == "func":
                j = self.literal(j, name)
                continue
            if self.t[j].k == "op" and self.s(j) in OPEN:
                self.literals(j + 1, self.pair[j], name)
                j = self.pair[j] + 1
                continue
            j += 1
        return hi + 1 if grouped else j

    def starts_new(self, j):
        p = self.t[j - 1]
        return (self.t[j].line > p.end or self.s(j - 1) == "(") and (
            self.s(j - 1) in ("(", ")", "]", "}", ";", "++", "--") or p.k in ("id", "num", "str"))

    def decl(self, i):
        j, recv = i + 1, None
        if self.s(j) == "(":
            names = []
            k = j + 1
            while k < self.pair[j]:
                if self.s(k) == "[":
                    k = self.pair[k]
                elif self.t[k].k == "id":
                    names.append(self.s(k))
                k += 1
            recv = names[-1] if names else "?"
            j = self.pair[j] + 1
        name = self.s(j)
        j += 1
        if self.s(j) == "[":
            j = self.pair[j] + 1
        j = self.signature_end(j)
        if recv is None:
            self.top_names.add(name)
        key = f"({recv}).{name}" if recv else name
        if name[:1].isupper() and (recv is None or recv[:1].isupper()):
            self.exports.add(key)  # a body elsewhere, in assembly say, or none
        if self.s(j) != "{" or not self.same_line(j):
            return j
        self.regions.append(Region(name, i, self.pair[j], j, key, key, recv, False, name))
        self.literals(j + 1, self.pair[j], key)
        return self.pair[j] + 1

    def literals(self, i, hi, holder):
        while i < hi:
            i = self.literal(i, holder) if self.s(i) == "func" else i + 1

    def literal(self, i, holder):
        """A literal or a function type at i; gives the index to go on from."""
        if self.s(i + 1) != "(":
            return i + 1
        j = self.signature_end(i + 1)
        if i and self.s(i - 1) in ("]", "chan", "*"):  # an element type: `[]func(){nil}`
            return j
        if self.s(j) == "{" and self.same_line(j):
            self.regions.append(Region("anonymous", i, self.pair[j], j, holder, holder, None, True, "", holder))
            self.literals(j + 1, self.pair[j], holder)
            return self.pair[j] + 1
        return max(j, i + 1)


def go_cc(toks, j):
    t = toks[j]
    return t.t in ("if", "for", "case") if t.k == "id" else t.t in ("&&", "||")


def scan_go(text):
    gs = GoScan(text)
    regions = gs.unit()
    src, owner = assemble(gs.t, regions, go_cc, go_line_ends)
    literal_at = {r.lo: r for r in regions if r.folds}
    for i, r in enumerate(regions):
        src.rows[i].cog = GoCognitive(gs, literal_at, r).score()
    src.exports = {"capital": gs.exports}
    return finish(src, "go")


def go_line_ends(toks, j):
    t = toks[j]
    if j + 1 < len(toks) and toks[j + 1].line == t.end:
        return False
    if t.k == "id":
        return t.t not in KEYWORDS
    return t.k in ("num", "str") or t.t in ("++", "--", ")", "]", "}")


class GoCognitive:
    """A declaration's score holds its closures; a literal's own row starts at nesting 0."""

    def __init__(self, gs, literal_at, region):
        self.gs, self.lit, self.r, self.total = gs, literal_at, region, 0
        self.recur = None
        if not region.folds and (region.cls is None or region.bare not in gs.top_names):
            self.recur = region.bare

    def score(self):
        self.block(self.r.body + 1, self.r.hi, 0)
        return self.total

    def block(self, i, hi, nest):
        while i < hi:
            i = self.stmt(i, hi, nest)

    def body_brace(self, i, hi):
        """The `{` that opens the body of a header starting at i."""
        gs = self.gs
        while i < hi:
            c = gs.s(i)
            if gs.t[i].k == "op" and c in "([":
                i = gs.pair[i] + 1
                continue
            if i in self.lit:
                i = gs.pair[self.lit[i].body] + 1
                continue
            if c == "{" and gs.t[i].k == "op":
                e = gs.pair[i]
                if gs.s(i - 1) in ("struct", "interface") or (
                        e + 1 < len(gs.t) and gs.same_line(e + 1)
                        and gs.s(e + 1) not in ("else", "}", ")", ",", ";", "]")):
                    i = e + 1
                    continue
                return i
            i += 1
        raise ValueError("no body")

    def stmt(self, i, hi, nest):
        gs, c = self.gs, self.gs.s(i)
        if gs.t[i].k == "id" and gs.s(i - 1) != ".":
            if c == "if":
                return self.if_stmt(i, hi, nest, False)
            if c == "for":
                self.total += 1 + nest
                b = self.body_brace(i + 1, hi)
                self.expr(i + 1, b, nest)
                self.block(b + 1, gs.pair[b], nest + 1)
                return gs.pair[b] + 1
            if c in ("switch", "select"):
                self.total += 1 + nest
                b = self.body_brace(i + 1, hi)
                self.expr(i + 1, b, nest)
                self.block(b + 1, gs.pair[b], nest + 1)
                return gs.pair[b] + 1
            if c == "goto":
                self.total += 1
                return i + 2
            if c in ("break", "continue"):
                if gs.t[i + 1].k == "id" and gs.same_line(i + 1):
                    self.total += 1
                    return i + 2
                return i + 1
        if c == "{" and gs.t[i].k == "op":
            self.block(i + 1, gs.pair[i], nest)
            return gs.pair[i] + 1
        j = i
        while j < hi:
            if j > i and (gs.s(j) == ";" or gs.starts_new(j)):
                break
            if j > i and gs.s(j) == ":" and gs.s(i) in ("case", "default"):
                j += 1
                break
            if j == i + 1 and gs.s(j) == ":" and gs.t[i].k == "id":
                j += 1
                break
            if j in self.lit:
                j = gs.pair[self.lit[j].body] + 1
            elif gs.t[j].k == "op" and gs.s(j) in OPEN:
                j = gs.pair[j] + 1
            else:
                j += 1
        self.expr(i, j, nest)
        return j + 1 if j < hi and gs.s(j) == ";" else max(j, i + 1)

    def if_stmt(self, i, hi, nest, chained):
        gs = self.gs
        self.total += 1 if chained else 1 + nest
        b = self.body_brace(i + 1, hi)
        self.expr(i + 1, b, nest)
        self.block(b + 1, gs.pair[b], nest + 1)
        j = gs.pair[b] + 1
        if gs.s(j) == "else" and j < hi:
            if gs.s(j + 1) == "if":
                return self.if_stmt(j + 1, hi, nest, True)
            self.total += 1
            self.block(j + 2, gs.pair[j + 1], nest)
            return gs.pair[j + 1] + 1
        return j

    def expr(self, i, hi, nest):
        gs, last = self.gs, None
        while i < hi:
            c, t = gs.s(i), gs.t[i]
            if i in self.lit:
                b = self.lit[i].body
                self.block(b + 1, gs.pair[b], nest + 1)
                i = gs.pair[b] + 1
                continue
            if t.k == "op":
                if c in ("&&", "||"):
                    if c != last:
                        self.total += 1
                    last = c
                elif c in (",", ";", ":=", "=", ":"):
                    last = None
                elif c in OPEN:
                    self.expr(i + 1, gs.pair[i], nest)
                    i = gs.pair[i] + 1
                    continue
            elif t.k == "id" and self.recur and c == self.recur and gs.s(i + 1) == "(" and gs.s(i - 1) != ".":
                self.total += 1
            i += 1
