"""What git says: the first-parent line, what each change did to files and lines, who wrote a line,
and the class of each file."""

import fnmatch
import os
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass

import scan

ANALYSED = ("java", "python", "go")
EXT = {"java": "java", "py": "python", "pyi": "python", "go": "go"}
for _lang, _exts in {"javascript": "js jsx mjs cjs", "typescript": "ts tsx mts cts", "kotlin": "kt kts", "rust": "rs",
                     "c": "c h", "cpp": "cc cpp cxx hh hpp hxx", "csharp": "cs", "ruby": "rb", "php": "php",
                     "scala": "scala sc"}.items():
    EXT.update({e: _lang for e in _exts.split()})
CLEAN = {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")}, "GIT_CONFIG_GLOBAL": os.devnull,
         "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C",
         "GIT_OPTIONAL_LOCKS": "0"}


class Git:
    def __init__(self, repo):
        self.repo = repo
        self.base = ["git", "-C", repo, "-c", "diff.renames=true", "-c", "diff.renameLimit=1000",
                     "-c", "diff.algorithm=myers", "-c", "core.attributesFile=" + os.devnull]
        self.format = self.text("rev-parse", "--show-object-format").strip()
        self.empty = self.text("hash-object", "-t", "tree", os.devnull).strip()
        self.batch = subprocess.Popen(self.base + ["cat-file", "--batch"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env=CLEAN)
        self.blobs = {}
        self.trees = {}

    def raw(self, *args, attr=None, data=None, ok=(0,)):
        cmd = self.base + ["--attr-source=" + (attr or self.empty)] + list(args) if hasattr(self, "empty") \
            else self.base + list(args)
        p = subprocess.run(cmd, env=CLEAN, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode not in ok:
            raise RuntimeError(f"{' '.join(map(str, cmd))}: {p.stderr.decode('utf-8', 'replace')[:300]}")
        return p.stdout

    def text(self, *args, **kw):
        return self.raw(*args, **kw).decode("utf-8", "surrogateescape")

    def blob(self, oid):
        if oid not in self.blobs:
            self.batch.stdin.write(oid.encode() + b"\n")
            self.batch.stdin.flush()
            head = self.batch.stdout.readline().split()
            if head[-1] == b"missing":
                raise RuntimeError(f"object {oid} is missing")
            data = self.batch.stdout.read(int(head[2]))
            self.batch.stdout.read(1)
            if len(self.blobs) > 4000:
                self.blobs.clear()
            self.blobs[oid] = data
        return self.blobs[oid]

    def tree(self, commit):
        """path -> blob id of the regular files."""
        if commit not in self.trees:
            out = {}
            for e in self.raw("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
                if e:
                    meta, path = e.split(b"\t", 1)
                    mode, _, oid = meta.split()
                    if mode.startswith(b"100"):
                        out[path.decode("utf-8", "surrogateescape")] = oid.decode()
            self.trees[commit] = out
        return self.trees[commit]


@dataclass
class Edit:
    status: str  # A D M R
    path: str
    old_path: str | None
    old: str | None  # blob ids
    new: str | None
    hunks: list | None = None  # (old start, old lines, new start, new lines), 1-based; None: binary
    numstat: tuple = (0, 0)  # git's own count, whose diff is made with context (see README.md)
    old_class: str | None = None
    new_class: str | None = None
    lang: str | None = None

    @property
    def added(self):
        return sum(h[3] for h in self.hunks or ())

    @property
    def removed(self):
        return sum(h[1] for h in self.hunks or ())

    @property
    def production(self):
        return "production" in (self.old_class, self.new_class)


def language(path):
    name = path.rsplit("/", 1)[-1]
    return EXT.get(name.rsplit(".", 1)[1]) if "." in name else None


# ---------------------------------------------------------------- classes of files

JAVA_TEST_DIRS = ("src/test/", "src/integrationTest/", "src/testFixtures/", "src/androidTest/")


def path_is_test(path, lang):
    dirs, _, name = ("/" + path).rpartition("/")
    dirs += "/"
    parts = dirs.split("/")
    if lang == "java":
        return any("/" + d in dirs for d in JAVA_TEST_DIRS) or any(
            fnmatch.fnmatchcase(name, g) for g in ("*Test.java", "*Tests.java", "Test[A-Z0-9_]*.java",
                                                   "*TestCase.java", "*IT.java"))
    if lang == "python":
        return "tests" in parts or "test" in parts or name in ("conftest.py", "tests.py") or any(
            fnmatch.fnmatchcase(name, g) for g in ("test_*.py", "*_test.py"))
    if lang == "go":
        return name.endswith("_test.go") or "testdata" in parts
    return any(d in parts for d in ("test", "tests", "__tests__", "spec")) or any(
        fnmatch.fnmatchcase(name, g) for g in ("*.test.*", "*.spec.*", "*_test.*", "*_spec.*", "*Test.*"))


def path_is_vendored(path):
    return any(p in ("vendor", "node_modules", "third_party") for p in path.split("/")[:-1])


def header_is_generated(data, lang):
    """Go's line, `DO NOT EDIT` in the comments before the first code, `@Generated` before the first `{`."""
    text = scan.decode(data[:65536])
    if lang == "python":
        m = re.match(r"(?:\s*#[^\n]*(?:\n|$)|\s*\n)*", text)
    else:
        m = re.match(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", text, re.S)
    head = m.group() if m else ""
    if re.search(r"^// Code generated .* DO NOT EDIT\.$", head, re.M) or "DO NOT EDIT" in head:
        return True
    upto = text.split("{", 1)[0] if lang == "java" else head
    return re.search(r"@Generated\b|@generated\b", upto) is not None


class Classes:
    def __init__(self, git):
        self.git, self.header, self.attrs = git, {}, {}

    def linguist(self, commit, path):
        tree = self.git.tree(commit) if commit else {}
        files = tuple(sorted((p, o) for p, o in tree.items() if p.rsplit("/", 1)[-1] == ".gitattributes"))
        if not any(b"linguist-" in self.git.blob(o) for _, o in files):
            return False, False
        key = (files, path)
        if key not in self.attrs:
            out = self.git.text("check-attr", "-z", "linguist-generated", "linguist-vendored", "--", path, attr=commit)
            v = out.split("\0")
            on = lambda x: x in ("set", "true")
            self.attrs[key] = on(v[2]), on(v[5])
        return self.attrs[key]

    def of(self, commit, path, blob):
        """The class of a path by the marks of `commit`'s tree and the header of `blob`."""
        lang = language(path)
        if lang is None:
            return "other"
        generated, vendored = self.linguist(commit, path)
        if vendored or path_is_vendored(path):
            return "vendored"
        if blob is not None and (blob, lang) not in self.header:
            self.header[blob, lang] = header_is_generated(self.git.blob(blob), lang)
        if generated or fnmatch.fnmatchcase(path.rsplit("/", 1)[-1], "*_pb2.py") or (blob and self.header[blob, lang]):
            return "generated"
        return "test" if path_is_test(path, lang) else "production"


# ---------------------------------------------------------------- the history

class History:
    def __init__(self, git, tip, store):
        self.git, self.store = git, store
        self.commits = git.text("rev-list", "--first-parent", "--reverse", tip).split()
        self.index = {c: i for i, c in enumerate(self.commits)}
        self.classes = Classes(git)
        self.edits_of, self.blames = {}, {}

    def edits(self, i):
        if i in self.edits_of:
            return self.edits_of[i]
        git, c = self.git, self.commits[i]
        p = self.commits[i - 1] if i else git.empty
        raw = git.raw("diff-tree", "-r", "-M", "-l1000", "--raw", "-z", "--no-abbrev", p, c).split(b"\0")
        out, k = [], 0
        while k < len(raw) and raw[k]:
            om, nm, old, new, st = raw[k][1:].decode().split()
            first = raw[k + 1].decode("utf-8", "surrogateescape")
            second = None
            k += 2
            if st[0] in "RC":
                second = raw[k].decode("utf-8", "surrogateescape")
                k += 1
            is_old, is_new = om.startswith("100"), nm.startswith("100")
            if not is_old and not is_new or old == new and st[0] != "R":
                continue  # links, submodules, changes of mode
            if not is_new:
                e = Edit("D", first, first, old, None)
            elif not is_old:
                e = Edit("A", second or first, None, None, new)
            elif st[0] == "R":
                e = Edit("R", second, first, old, new)
            else:
                e = Edit("M", first, first, old, new)
            e.lang = language(e.path)
            parent = self.commits[i - 1] if i else None
            if e.old:
                e.old_class = self.classes.of(parent, e.old_path, e.old)
            if e.new:
                e.new_class = self.classes.of(parent, e.path, e.old or e.new)
            if e.old_class == "production" and e.new:
                e.new_class = "production"
            e.hunks = self.hunks(e.old, e.new)
            e.numstat = self.numstat(e.old, e.new, e.hunks)
            out.append(e)
        out.sort(key=lambda e: e.path.encode("utf-8", "surrogateescape"))
        self.edits_of[i] = out
        return out

    def hunks(self, old, new):
        def lines(oid):
            d = self.git.blob(oid)
            return d.count(b"\n") + (not d.endswith(b"\n") and d != b"")
        if any(o and b"\0" in self.git.blob(o)[:8000] for o in (old, new)):
            return None
        if old == new:
            return []
        if not old:
            return [(0, 0, 1, lines(new))] if lines(new) else []
        if not new:
            return [(1, lines(old), 0, 0)] if lines(old) else []
        def make():
            out = []
            for line in self.git.raw("diff", "-U0", "--no-ext-diff", "--no-textconv", "--no-color",
                                     "--diff-algorithm=myers", "--indent-heuristic", "--inter-hunk-context=0",
                                     old, new).split(b"\n"):
                if line.startswith(b"@@"):
                    m = re.match(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
                    a, b, c, d = m.groups()
                    out.append((int(a), int(b) if b is not None else 1, int(c), int(d) if d is not None else 1))
            return out
        return self.store.get(f"hunks {old} {new}", make)

    def numstat(self, old, new, hunks):
        if not (old and new) or not hunks:
            return sum(h[3] for h in hunks or ()), sum(h[1] for h in hunks or ())
        def make():
            out = self.git.raw("diff", "--numstat", "--no-ext-diff", "--no-textconv", old, new).split()
            return int(out[0]), int(out[1])
        return self.store.get(f"numstat {old} {new}", make)

    def origins(self, base, i, path):
        """Line (1-based) -> index of the commit that last wrote it; -1 for the base's and older."""
        if i <= base:
            return defaultdict(lambda: -1)
        def make():
            out, cur, edge = {}, None, set()
            for line in self.git.raw("blame", "--porcelain", "--first-parent", "--no-textconv",
                                     f"{self.commits[base]}..{self.commits[i]}", "--", path).split(b"\n"):
                m = re.match(rb"([0-9a-f]{40,64}) \d+ (\d+)", line)
                if m and not line.startswith(b"\t"):
                    cur = m.group(1).decode()
                    out[int(m.group(2))] = cur
                elif line == b"boundary":
                    edge.add(cur)
            return {k: (-1 if c in edge else self.index[c]) for k, c in out.items()}
        return self.store.get(f"blame {self.commits[base]} {self.commits[i]} {path}", make)
