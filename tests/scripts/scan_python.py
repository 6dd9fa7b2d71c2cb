"""Python: rows, keys, classes, exported names and scores, from `ast` and `tokenize`."""

import ast
import io
import tokenize
import warnings

from scan import Fn, Row, Source

warnings.simplefilter("ignore")

CODE_BEFORE = {"=", "+=", "-=", "*=", "/=", "%=", "//=", "**=", "&=", "|=", "^=", "<<=", ">>=", "(", "return", ",",
               "[", "+", "-", "*", "/", "//", "%"}


def scan_python(text):
    tree = ast.parse(text)
    toks = [t for t in tokenize.generate_tokens(io.StringIO(text).readline)]
    src = Source()
    py = PyScan(text, src)
    py.body(tree.body, (), (), None, -1, True)
    src.exports = py.exports
    src.nloc = py.lines(toks)
    py.sequences(toks, tree)
    for f in src.fns:
        r = src.rows[f.row]
        f.cc, f.cog, f.nloc = r.cc, r.cog, r.nloc
    return src


class PyScan:
    def __init__(self, text, src):
        self.text_lines = text.split("\n")
        self.src = src
        self.exports = {"plain": set(), "dunder too": set()}

    def export(self, kind, path, name):
        key = kind + ".".join(path + (name,))
        if all(not p.startswith("_") for p in path + (name,)):
            self.exports["plain"].add(key)
        if all(not p.startswith("_") or (p.startswith("__") and p.endswith("__")) for p in path + (name,)):
            self.exports["dunder too"].add(key)

    def body(self, nodes, path, fnpath, cls, parent, exportable):
        for n in nodes:
            self.node(n, path, fnpath, cls, parent, exportable)

    def node(self, n, path, fnpath, cls, parent, exportable):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            full = (fnpath[-1] + "." + n.name) if fnpath else n.name
            row = Row(full, n.lineno, n.end_lineno, nested=parent >= 0, parent=parent, cls=cls)
            row.one = not self.text_lines[n.body[0].lineno - 1][:n.body[0].col_offset].isspace()
            i = len(self.src.rows)
            row.fn = len(self.src.fns)
            self.src.rows.append(row)
            key = ".".join(path + (n.name,))
            self.src.fns.append(Fn(key, key, row.start, row.end, i, cls))
            if exportable:
                self.export("", path, n.name)
            self.measure(n, row, parent)
            self.body(n.body, path + (n.name,), fnpath + (full,), cls, i, False)
        elif isinstance(n, ast.ClassDef):
            if exportable:
                self.export("type ", path, n.name)
            self.body(n.body, path + (n.name,), fnpath, ".".join(path + (n.name,)), parent, exportable)
        else:
            for c in ast.iter_child_nodes(n):
                self.node(c, path, fnpath, cls, parent, exportable)

    def measure(self, fn, row, parent):
        row.cc = 1 + self.cc([fn.args, fn.returns] + fn.body)
        c = PyCognitive(fn, self.text_lines, parent < 0)
        row.cog = c.score()

    def cc(self, nodes):
        n = 0
        for x in nodes:
            if x is None:
                continue
            if isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef)):
                n += self.cc(x.decorator_list)
                continue
            if isinstance(x, (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)):
                n += 1
            elif isinstance(x, ast.comprehension):
                n += 1 + len(x.ifs)
            elif isinstance(x, ast.BoolOp):
                n += len(x.values) - 1
            if isinstance(x, ast.match_case) and x.guard is not None:
                n += 1
            if isinstance(x, (ast.Try, getattr(ast, "TryStar", ast.Try))) and x.finalbody:
                n += 1
            n += self.cc(list(ast.iter_child_nodes(x)))
        return n

    def lines(self, toks):
        """NLOC of the rows and of the file, with the rule for triple-quoted strings."""
        rows = self.src.rows
        names = {}
        for i, r in enumerate(rows):
            names.setdefault(r.start, []).append(i)
        total, last, prev, stack, seen = 0, 0, None, [], set()
        for t in toks:
            if t.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
                          tokenize.ENDMARKER, tokenize.ENCODING):
                continue
            line, end = t.start[0], t.end[0]
            while stack and rows[stack[-1]].end < line:
                stack.pop()
            add = 0
            if line > last:
                add, last = 1, line
            if end > line:
                add += end - max(last, line)
                last = max(last, end)
            if t.type == tokenize.STRING:
                body = t.string.lstrip("rRbBuUfF")
                if body.startswith(('"""', "'''")) and (body != t.string or prev not in CODE_BEFORE):
                    add -= t.string.count("\n") + 1
            total += add
            if stack:
                rows[stack[-1]].nloc += add
            if prev == "def" and line in names:
                for i in names[line]:
                    if i not in seen:
                        stack.append(i)
                        seen.add(i)
                        break
            prev = t.string
        return total

    def sequences(self, toks, tree):
        """Each function's own tokens; the first of a statement follows the rank of its depth in
        blocks, so it does not matter whether a body stands on the line of its colon."""
        depth = {}

        def walk(node, d):
            for child in ast.iter_child_nodes(node):
                inside = d + isinstance(child, ast.stmt)
                if isinstance(child, ast.stmt):
                    before = self.text_lines[child.lineno - 1].encode()[:child.col_offset]
                    depth[child.lineno, len(before.decode())] = d
                walk(child, inside)

        walk(tree, 0)
        own = self.src.owner_of_lines()
        seqs = [[] for _ in self.src.fns]
        for t in toks:
            if t.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
                          tokenize.ENDMARKER):
                continue
            f = own.get(t.start[0])
            if f is not None:
                seqs[f].append((depth.get(t.start), t.string))
        for f, s in zip(self.src.fns, seqs):
            rank = {c: k for k, c in enumerate(sorted({c for c, _ in s if c is not None}))}
            f.tokens = f.tokens_from_name = tuple((rank.get(c), text) for c, text in s)


class PyCognitive:
    def __init__(self, fn, lines, outermost):
        self.fn, self.lines, self.total = fn, lines, 0
        self.name = fn.name if outermost else None
        self.recursive = False

    def score(self):
        for n in self.fn.body:
            self.visit(n, 0)
        return self.total + self.recursive

    def all(self, nodes, nest):
        for n in nodes:
            self.visit(n, nest)

    def parenthesised(self, n):
        line, col = n.lineno - 1, len(self.lines[n.lineno - 1].encode()[:n.col_offset].decode())
        while True:
            before = self.lines[line][:col].rstrip()
            if before.endswith("\\"):
                before = before[:-1].rstrip()
            if before:
                return before[-1] == "("
            line -= 1
            if line < 0:
                return False
            text = self.lines[line]
            col = len(text.split("#")[0]) if "#" in text else len(text)

    def flat(self, n, ops, leaves):
        op = "and" if isinstance(n.op, ast.And) else "or"
        for k, v in enumerate(n.values):
            if k:
                ops.append(op)
            if isinstance(v, ast.BoolOp) and not self.parenthesised(v):
                self.flat(v, ops, leaves)
            else:
                leaves.append(v)

    def visit(self, n, nest):
        if n is None:
            return
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.all(n.decorator_list, nest)
        elif isinstance(n, ast.If):
            self.if_chain(n, nest, False)
        elif isinstance(n, (ast.For, ast.AsyncFor, ast.While)):
            self.total += 1 + nest
            for part in ("target", "iter", "test"):
                self.visit(getattr(n, part, None), nest)
            self.all(n.body, nest + 1)
            if n.orelse:
                self.total += 1
                self.all(n.orelse, nest + 1)
        elif isinstance(n, (ast.Try, getattr(ast, "TryStar", ast.Try))):
            self.all(n.body, nest)
            for h in n.handlers:
                self.total += 1 + nest
                self.visit(h.type, nest)
                self.all(h.body, nest + 1)
            if n.orelse:
                self.total += 1
                self.all(n.orelse, nest + 1)
            self.all(n.finalbody, nest)
        elif isinstance(n, ast.Match):
            self.total += 1 + nest
            self.visit(n.subject, nest)
            for c in n.cases:
                if c.guard is not None:
                    self.total += 2 + nest
                    self.visit(c.guard, nest + 1)
                self.all(c.body, nest + 1)
        elif isinstance(n, ast.IfExp):
            self.total += 1 + nest
            self.visit(n.test, nest)
            self.visit(n.body, nest + 1)
            self.visit(n.orelse, nest + 1)
        elif isinstance(n, ast.BoolOp):
            ops, leaves = [], []
            self.flat(n, ops, leaves)
            self.total += sum(1 for k, o in enumerate(ops) if k == 0 or ops[k - 1] != o)
            self.all(leaves, nest)
        elif isinstance(n, ast.Lambda):
            self.visit(n.args, nest)
            self.visit(n.body, nest + 1)
        else:
            if isinstance(n, ast.Call) and self.name is not None:
                f = n.func
                if isinstance(f, ast.Name) and f.id == self.name:
                    self.recursive = True
                if isinstance(f, ast.Attribute) and f.attr == self.name and isinstance(f.value, ast.Name) \
                        and f.value.id in ("self", "cls"):
                    self.recursive = True
            self.all(ast.iter_child_nodes(n), nest)

    def if_chain(self, n, nest, chained):
        self.total += 1 if chained else 1 + nest
        self.visit(n.test, nest)
        self.all(n.body, nest + 1)
        if not n.orelse:
            return
        o = n.orelse[0]
        if len(n.orelse) == 1 and isinstance(o, ast.If) and self.lines[o.lineno - 1].encode()[o.col_offset:].startswith(b"elif"):
            self.if_chain(o, nest, True)
        else:
            self.total += 1
            self.all(n.orelse, nest + 1)
