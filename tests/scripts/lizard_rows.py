"""Reads `language TAB length LF bytes` on standard input, writes one line of JSON for each:
lizard's own rows. A process of its own, so that two lizard versions can be asked."""

import json
import sys

import lizard

NAMES = {"java": "A.java", "python": "a.py", "go": "a.go"}


def main():
    try:
        extensions = lizard.get_extensions(["cognitive"])
    except Exception:  # versions before 1.24 have no such extension
        extensions = lizard.get_extensions([])
    analyzer = lizard.FileAnalyzer(extensions)
    inp, out = sys.stdin.buffer, sys.stdout
    while True:
        head = inp.readline()
        if not head:
            return
        language, size = head.decode().split("\t")
        text = inp.read(int(size)).decode("utf-8", "ignore").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        try:
            got = analyzer.analyze_source_code(NAMES[language], text)
            rows = [[f.name, f.start_line, f.end_line, f.nloc, f.cyclomatic_complexity,
                     getattr(f, "cognitive_complexity", None)] for f in got.function_list]
            answer = {"version": lizard.version, "nloc": got.nloc, "rows": rows}
        except Exception as e:  # lizard must not stop the run
            answer = {"version": lizard.version, "error": repr(e)[:200]}
        out.write(json.dumps(answer) + "\n")
        out.flush()


main()
