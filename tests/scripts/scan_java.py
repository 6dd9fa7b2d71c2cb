"""Java: rows, keys, classes, exported names and cognitive scores, from tokens and braces."""

import re

from scan import OPEN, Region, assemble, finish, lex, match_brackets

JAVA = re.compile(
    r'''(?P<ws>\s+)|(?P<com>//[^\n]*|/\*.*?\*/)|(?P<str>"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')'''
    r"""|(?P<id>[^\W\d][\w$]*|\$[\w$]*)|(?P<num>\.?\d(?:[eEpP][+-]|[\w.])*)"""
    r"""|(?P<op>&&|\|\||->|::|\.\.\.|==|<=|>=|!=|\+\+|--|.)""", re.S)

MODS = {"public", "private", "protected", "static", "final", "abstract", "native", "synchronized", "transient",
        "volatile", "strictfp", "default", "sealed"}


class JavaScan:
    def __init__(self, text):
        self.t = lex(JAVA, text)
        self.pair = match_brackets(self.t)
        self.regions = []
        self.constants_of = {}  # class path of a constant's body -> its enum's
        self.exports = {"public": set(), "public+protected": set(), "public with a body": set()}

    def s(self, i):
        return self.t[i].t if i < len(self.t) else ""

    def generics(self, i):
        """Index after a balanced <…> at i."""
        depth = 0
        while i < len(self.t):
            c = self.s(i)
            if c == "<":
                depth += 1
            elif c == ">":
                depth -= 1
                if depth == 0:
                    return i + 1
            elif c in "([{" and self.t[i].k == "op":
                i = self.pair[i]
            i += 1
        raise ValueError("generics")

    def annotation(self, i):
        """Index after an annotation at i (`@` but not `@interface`)."""
        i += 2
        while self.s(i) == "." and self.t[i + 1].k == "id":
            i += 2
        return self.pair[i] + 1 if self.s(i) == "(" else i

    def unit(self):
        self.members(0, len(self.t), (), None, None, None, True)
        return self.regions

    def type_decl(self, i):
        """(kind, name index) where a type declaration's keyword stands at i."""
        c, n = self.s(i), self.t[i + 1] if i + 1 < len(self.t) else None
        if n is None or (i and self.s(i - 1) == "."):
            return None
        if c in ("class", "interface", "enum") and n.k == "id":
            return c, i + 1
        if c == "record" and n.k == "id" and self.s(i + 2) in ("(", "<"):
            j = i + 2
            if self.s(j) == "<":
                j = self.generics(j)
            k = self.pair[j] + 1 if self.s(j) == "(" else None
            if k is not None and self.s(k) in ("{", "implements"):
                return c, i + 1
        return None

    def type_body(self, kind, name_i, path, visible, vis_prot):
        i = name_i + 1
        while self.s(i) != "{":
            i = self.pair[i] + 1 if self.s(i) == "(" else i + 1
        path = path + (self.s(name_i),)
        if visible:
            self.exports["public"].add("type " + ".".join(path))
            self.exports["public with a body"].add("type " + ".".join(path))
        if vis_prot:
            self.exports["public+protected"].add("type " + ".".join(path))
        lo, hi = i + 1, self.pair[i]
        if kind == "enum":
            lo = self.constants(lo, hi, path)
        self.members(lo, hi, path, kind, visible, vis_prot, False)
        return hi + 1

    def constants(self, i, hi, path):
        while i < hi and self.s(i) != ";":
            if self.s(i) == "@":
                i = self.annotation(i)
                continue
            name = self.s(i)
            i += 1
            if self.s(i) == "(":
                self.code(i + 1, self.pair[i], path, ".".join(path) + "::" + name)
                i = self.pair[i] + 1
            if self.s(i) == "{":
                self.constants_of[".".join(path + (name,))] = ".".join(path)
                self.members(i + 1, self.pair[i], path + (name,), "constant", False, False, False, label=path[-1])
                i = self.pair[i] + 1
            if self.s(i) == ",":
                i += 1
        return i + 1

    def members(self, i, hi, path, kind, visible, vis_prot, top, anon=None, label=None):
        """Members from i up to hi. `anon` is the holder of an anonymous class."""
        while i < hi:
            if self.s(i) in (";", "}"):
                i += 1
                continue
            mods, start = set(), i
            name = params = None
            while i < hi:
                c = self.s(i)
                if c == "@" and self.s(i + 1) != "interface":
                    i = self.annotation(i)
                    continue
                if c == "@":
                    i += 1
                    continue
                if c == "non" and self.s(i + 1) == "-":
                    i += 3
                    continue
                td = self.type_decl(i)
                if td and not (c == "record" and name):
                    pub = "public" in mods or kind in ("interface",)
                    prot = pub or "protected" in mods
                    i = self.type_body(td[0], td[1], path,
                                       (pub and (top or bool(visible))), (prot and (top or bool(vis_prot))))
                    break
                if c in MODS:
                    mods.add(c)
                    i += 1
                    continue
                if c == "{":
                    if name is not None and i == name + 1 and kind == "record" and self.s(name) == path[-1]:
                        self.row(start, name, i, path, kind, mods, anon, "", visible, vis_prot, label)
                    else:
                        block = "{static}" if "static" in mods else "{}"
                        self.code(i + 1, self.pair[i], path, ".".join(path) + "::" + block)
                    i = self.pair[i] + 1
                    break
                if c == "<":
                    i = self.generics(i)
                    continue
                if c == "(":
                    params = self.params(i + 1, self.pair[i])
                    j = self.pair[i] + 1
                    while self.s(j) not in ("{", ";"):
                        if self.s(j) == "default":  # an annotation's element has no body
                            while self.s(j) != ";":
                                j = self.pair[j] + 1 if self.t[j].k == "op" and self.s(j) in OPEN else j + 1
                            break
                        j = self.annotation(j) if self.s(j) == "@" else self.pair[j] + 1 if self.s(j) in ("[", "(") else j + 1
                        if j >= hi:
                            break
                    if self.s(j) == "{":
                        self.row(start, name, j, path, kind, mods, anon, params, visible, vis_prot, label)
                        j = self.pair[j]
                    elif self.s(j) == ";":  # of an interface or annotation, abstract or native
                        self.export(self.member_key(name, path, params), kind, mods, anon, visible, vis_prot, False)
                    i = j + 1
                    break
                if c in ("=", ",", ";"):
                    i = self.field(i, hi, path, name)
                    break
                if c == "[":
                    i = self.pair[i] + 1
                    continue
                if self.t[i].k == "id":
                    name = i
                i += 1
            if i == start:
                raise ValueError(f"java member in line {self.t[i].line}")

    def field(self, i, hi, path, name):
        while i < hi and self.s(i) != ";":
            if self.s(i) == "=":
                lo = i + 1
                j = lo
                while j < hi and self.s(j) != ";":
                    j = self.pair[j] + 1 if self.t[j].k == "op" and self.s(j) in OPEN else j + 1
                # `int a = 1, b = 2;`: holders after a top-level comma are found by name
                self.code(lo, j, path, ".".join(path) + "::" + (self.s(name) if name is not None else "?"))
                return j + 1
            if self.t[i].k == "id":
                name = i
            i += 1
        return i + 1

    def params(self, lo, hi):
        out, cur, i = [], [], lo
        while i < hi:
            c = self.s(i)
            if c == "@":
                i = self.annotation(i)
                continue
            if c == "<":
                i = self.generics(i)
                continue
            if c == ",":
                out.append(cur)
                cur = []
            elif c != "final":
                cur.append((self.t[i].k, c))
            i += 1
        if cur:
            out.append(cur)
        types = []
        for p in out:
            last = max((k for k, x in enumerate(p) if x[0] == "id"), default=None)
            types.append("".join(x[1] for k, x in enumerate(p) if k != last))
        return ",".join(types)

    def member_key(self, name, path, params):
        return f"{'.'.join(path)}::{self.s(name)}({params})"

    def export(self, key, kind, mods, anon, visible, vis_prot, has_body):
        """`visible`: all types around are exported themselves."""
        if anon or kind == "constant":
            return
        pub = "public" in mods or (kind == "interface" and "private" not in mods)
        if pub and visible:
            self.exports["public"].add(key)
            if has_body:
                self.exports["public with a body"].add(key)
        if (pub or "protected" in mods) and vis_prot:
            self.exports["public+protected"].add(key)

    def row(self, start, name, body, path, kind, mods, anon, params, visible, vis_prot, label):
        n = self.s(name)
        cls = ".".join(path) or None
        shown = "(anonymous)" if anon else (label or (path[-1] if path else ""))
        base = f"{cls}::{n}"
        key = f"{base}({params})"
        head = []
        while self.s(start) == "@" or self.s(start) in MODS:
            if self.s(start) == "@":
                start = self.annotation(start)
            else:
                head.append(start)
                start += 1
        head += range(start, name)
        self.regions.append(Region(f"{shown}::{n}", name, self.pair[body], body, key, base, cls, bool(anon), n,
                                   anon or "", path[-1] if path and n == path[-1] else None, tuple(head)))
        self.export(key, kind, mods, anon, visible, vis_prot, True)
        self.code(body + 1, self.pair[body], path, cls + "::" + n if cls else n)

    def code(self, i, hi, path, holder):
        """Anonymous and local classes in statements and expressions."""
        while i < hi:
            c = self.s(i)
            if c == "new" and self.t[i].k == "id":
                j = i + 1
                while self.s(j) == "@":
                    j = self.annotation(j)
                while j < hi and (self.t[j].k == "id" or self.s(j) == "."):
                    j += 1
                    if self.s(j) == "<":
                        j = self.generics(j)
                if self.s(j) == "(":
                    self.code(j + 1, self.pair[j], path, holder)
                    j = self.pair[j] + 1
                    if self.s(j) == "{":
                        self.members(j + 1, self.pair[j], path, "anonymous", False, False, False, anon=holder)
                        j = self.pair[j] + 1
                i = max(j, i + 1)
                continue
            td = self.type_decl(i) if c in ("class", "interface", "enum", "record") else None
            if td:
                i = self.type_body(td[0], td[1], path, False, False)
                continue
            i += 1


def wildcard(toks, j):
    prev, nxt = toks[j - 1].t, toks[j + 1].t
    return prev in ("<", ",") or nxt in ("extends", "super", ">")


def java_cc(toks, j):
    t = toks[j]
    if t.k == "id":
        return t.t in ("if", "for", "while", "catch", "case")
    return t.t in ("&&", "||") or (t.t == "?" and t.k == "op" and not wildcard(toks, j))


def scan_java(text):
    js = JavaScan(text)
    src, owner = assemble(js.t, js.unit(), java_cc)
    for i, r in enumerate(js.regions):
        src.rows[i].cog = JavaCognitive(js, owner, i, r).score()
        src.rows[i].outer_cls = js.constants_of.get(src.rows[i].cls, src.rows[i].cls)
    src.exports = js.exports
    for j, t in enumerate(js.t):
        if t.t == "?" and t.k == "op" and wildcard(js.t, j):
            src.issues.append(("J-WILD?", t.line))
    return finish(src, "java")


class JavaCognitive:
    def __init__(self, js, owner, row, region):
        self.js, self.owner, self.row, self.r = js, owner, row, region
        self.recursive = False
        self.total = 0

    def score(self):
        self.block(self.r.body + 1, self.r.hi, 0)
        return self.total + self.recursive

    def s(self, i):
        return self.js.s(i)

    def mine(self, i):
        return self.owner[i] == self.row

    def block(self, i, hi, nest):
        while i < hi:
            i = self.stmt(i, hi, nest)

    def stmt(self, i, hi, nest):
        """Scores the statement at i and gives the index after it."""
        js, c = self.js, self.s(i)
        if not self.mine(i):
            return i + 1
        if c == ";":
            return i + 1
        if c == "{":
            self.block(i + 1, js.pair[i], nest)
            return js.pair[i] + 1
        if js.t[i].k == "id" and self.s(i - 1) != ".":
            if c == "if":
                return self.if_stmt(i, hi, nest, False)
            if c in ("for", "while") and self.s(i + 1) == "(":
                self.total += 1 + nest
                self.expr(i + 2, js.pair[i + 1], nest)
                return self.stmt(js.pair[i + 1] + 1, hi, nest + 1)
            if c == "do":
                self.total += 1 + nest
                j = self.stmt(i + 1, hi, nest + 1)
                self.expr(j + 2, js.pair[j + 1], nest)
                return js.pair[j + 1] + 2
            if c == "switch" and self.s(i + 1) == "(":
                return self.switch(i, nest)
            if c == "try":
                j = i + 1
                if self.s(j) == "(":
                    self.expr(j + 1, js.pair[j], nest)
                    j = js.pair[j] + 1
                return self.stmt(j, hi, nest)
            if c == "catch":
                self.total += 1 + nest
                return self.stmt(js.pair[i + 1] + 1, hi, nest + 1)
            if c == "finally":
                return self.stmt(i + 1, hi, nest)
            if c == "synchronized" and self.s(i + 1) == "(":
                self.expr(i + 2, js.pair[i + 1], nest)
                return self.stmt(js.pair[i + 1] + 1, hi, nest)
            if c in ("break", "continue"):
                if self.s(i + 1) != ";":
                    self.total += 1
                return i + 1 + (self.s(i + 1) != ";")
            if c in ("case", "default") and self.s(i + 1) != "(":
                j = i + 1
                while j < hi and not (self.s(j) in ("->", ":") and js.t[j].k == "op"):
                    j = js.pair[j] + 1 if js.t[j].k == "op" and self.s(j) in OPEN else j + 1
                self.expr(i + 1, j, nest)
                return j + 1
            if self.s(i + 1) == ":" and js.t[i + 1].k == "op":
                return i + 2
            td = js.type_decl(i) if c in ("class", "interface", "enum", "record") else None
            if td:
                j = td[1]
                while self.s(j) != "{":
                    j = js.pair[j] + 1 if self.s(j) == "(" else j + 1
                return js.pair[j] + 1
        j = i
        while j < hi and self.s(j) != ";":
            j = js.pair[j] + 1 if js.t[j].k == "op" and self.s(j) in OPEN else j + 1
        self.expr(i, j, nest)
        return j + 1 if j < hi and self.s(j) == ";" else j

    def if_stmt(self, i, hi, nest, chained):
        js = self.js
        self.total += 1 if chained else 1 + nest
        self.expr(i + 2, js.pair[i + 1], nest)
        j = self.stmt(js.pair[i + 1] + 1, hi, nest + 1)
        if j < hi and self.s(j) == "else":
            if self.s(j + 1) == "if":
                return self.if_stmt(j + 1, hi, nest, True)
            self.total += 1
            return self.stmt(j + 1, hi, nest + 1)
        return j

    def switch(self, i, nest):
        js = self.js
        self.total += 1 + nest
        self.expr(i + 2, js.pair[i + 1], nest)
        b = js.pair[i + 1] + 1
        self.block(b + 1, js.pair[b], nest + 1)
        return js.pair[b] + 1

    def expr(self, i, hi, nest):
        js, last = self.js, None
        while i < hi:
            c, t = self.s(i), js.t[i]
            if not self.mine(i):
                i += 1
                continue
            if t.k == "op" and c in ("&&", "||"):
                if c != last:
                    self.total += 1
                last = c
            elif t.k == "op" and c in (",", ";", "="):
                last = None
            elif t.k == "op" and c == "?" and not wildcard(js.t, i):
                self.total += 1 + nest
                depth, j = 1, i + 1
                end = i + 1
                while end < hi and not (js.t[end].k == "op" and self.s(end) in (",", ";")):
                    end = js.pair[end] + 1 if js.t[end].k == "op" and self.s(end) in OPEN else end + 1
                while j < end:
                    if js.t[j].k == "op" and self.s(j) in OPEN:
                        j = js.pair[j]
                    elif self.s(j) == "?" and not wildcard(js.t, j):
                        depth += 1
                    elif self.s(j) == ":" and js.t[j].k == "op":
                        depth -= 1
                        if depth == 0:
                            break
                    j += 1
                self.expr(i + 1, j, nest + 1)
                self.expr(j + 1, end, nest + 1)
                i, last = end, None
                continue
            elif t.k == "op" and c == "->" and self.s(i + 1) == "{":
                self.block(i + 2, js.pair[i + 1], nest + 1)
                i = js.pair[i + 1] + 1
                continue
            elif t.k == "op" and c == "->":
                last = None
            elif t.k == "id" and c == "switch" and self.s(i + 1) == "(" and self.s(i - 1) != ".":
                i = self.switch(i, nest)
                continue
            elif t.k == "id" and c == self.r.bare and self.s(i + 1) == "(":
                p = self.s(i - 1)
                if p == "." and self.s(i - 2) == "this" or p not in (".", "new", "::"):
                    self.recursive = True
                elif p == "new" and self.r.ctor_of == c:
                    self.recursive = True
            if t.k == "op" and c in OPEN:
                self.expr(i + 1, js.pair[i], nest)
                i = js.pair[i] + 1
                continue
            i += 1
