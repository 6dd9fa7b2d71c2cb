"""The rows of each blob, the scanners' held against lizard's, kept in a file once computed."""

import hashlib
import json
import os
import pickle
import sqlite3
import subprocess
import tokenize
from collections import defaultdict
from dataclasses import dataclass

import scan
import scan_go
import scan_java
import scan_python

HERE = os.path.dirname(os.path.abspath(__file__))
LOOKED_AT_MAX = 5 * 1024 * 1024


SCANNERS = {"java": scan_java.scan_java, "go": scan_go.scan_go, "python": scan_python.scan_python}


def scan_bytes(language, data):
    """The scanner's rows of one file; what cannot be read has `error` set."""
    if b"\0" in data:
        return scan.Source(error="binary content")
    if data.startswith(b"version https://git-lfs"):
        return scan.Source(error="Git LFS pointer")
    try:
        return SCANNERS[language](scan.decode(data))
    except (SyntaxError, ValueError, tokenize.TokenError, IndexError, KeyError, RecursionError) as e:
        return scan.Source(error=f"syntax error ({type(e).__name__}: {str(e)[:60]})")


@dataclass
class Analysis:
    src: scan.Source
    liz: list  # lizard's rows: name, start, end, nloc, cc, cognitive
    liz_nloc: int = 0
    codes: tuple = ()  # how lizard's rows and the scanner's differ


class Store:
    """What was computed once is kept in a file beside the others."""

    def __init__(self, path):
        self.db = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.db.execute("pragma synchronous = off")
        self.db.execute("create table if not exists kept (k text primary key, v blob)")

    def get(self, key, make):
        row = self.db.execute("select v from kept where k = ?", (key,)).fetchone()
        if row:
            return pickle.loads(row[0])
        v = make()
        self.db.execute("insert or replace into kept values (?, ?)", (key, pickle.dumps(v)))
        return v


class Analyser:
    def __init__(self, git, store, python_java, python_rest):
        self.git, self.store, self.mem, self.workers = git, store, {}, {}
        self.pythons = {"java": python_java, "python": python_rest, "go": python_rest, "cognitive": python_rest}
        self.versions = {}
        sources = (python_java + "\n" + python_rest).encode()
        for module in (scan, scan_java, scan_go, scan_python):
            with open(module.__file__, "rb") as f:
                sources += f.read()
        self.version = hashlib.sha256(sources).hexdigest()[:12]

    def ask(self, which, lang, data):
        py = self.pythons[which]
        if py not in self.workers:
            self.workers[py] = subprocess.Popen([py, os.path.join(HERE, "lizard_rows.py")], stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE)
        w = self.workers[py]
        w.stdin.write(f"{lang}\t{len(data)}\n".encode() + data)
        w.stdin.flush()
        got = json.loads(w.stdout.readline())
        self.versions[which] = got["version"]
        return got

    def of(self, blob, lang):
        key = (blob, lang)
        if key not in self.mem:
            self.mem[key] = self.store.get(f"rows {self.version} {lang} {blob}",
                                           lambda: self.make(self.git.blob(blob), lang))
        return self.mem[key]

    def make(self, data, lang):
        if len(data) > LOOKED_AT_MAX:
            return Analysis(scan.Source(error="file over 5 MiB"), [])
        src = scan_bytes(lang, data)
        if src.error and not src.error.startswith("syntax"):
            return Analysis(src, [])
        got = self.ask(lang, lang, data)
        rows = got.get("rows", [])
        if lang == "java":
            second = self.ask("cognitive", lang, data).get("rows", [])
            by = defaultdict(list)
            for r in second:
                by[r[1], r[2]].append(r[5])
            for r in rows:
                r[5] = by[r[1], r[2]].pop(0) if by[r[1], r[2]] else None
        a = Analysis(src, rows, got.get("nloc", 0))
        if not src.error:
            a.codes = self.cross(src, rows, got.get("nloc", 0), lang)
        return a

    def cross(self, src, liz, liz_nloc, lang):
        """Holds the scanner's rows against lizard's. Python's NLOC, whose string rule is lizard's own
        habit, is taken from lizard where the spans agree."""
        by = defaultdict(list)
        for r in liz:
            by[r[1], r[2]].append(r)
        codes = []
        for r in src.rows:
            m = by[r.start, r.end].pop(0) if by[r.start, r.end] else None
            if m is None:
                codes.append({"python": "P-ONE" if r.one else "P-LOW or P-RET", "go": "G-RES"}.get(lang) or (
                    "J-GEN, J-FIELD or J-MEMB" if r.name.startswith("(anonymous)") else "J-ENUM, J-LOCAL or J-REC"))
                continue
            if m[4] != r.cc:
                codes.append("cc: J-WILD or rows inside not seen" if lang == "java" else "cc")
            if m[3] != r.nloc:
                codes.append("nloc" if lang != "java" else "nloc: rows inside not seen")
                if lang == "python":
                    r.nloc = m[3]
                    src.fns[r.fn].nloc = m[3]
            if m[5] is not None and m[5] != r.cog and lang != "go":
                codes.append("cognitive")
        codes += ["phantom"] * sum(len(v) for v in by.values())
        if liz_nloc != src.nloc:
            codes.append("file nloc")
            if lang == "python":
                src.nloc = liz_nloc
        return tuple(codes)
