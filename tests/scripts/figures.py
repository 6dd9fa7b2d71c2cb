"""The measures of one change and of the tree after it, with the other readings of a definition."""

import math
import re
from collections import Counter, defaultdict

import scan
from facts import ANALYSED, language


def known(value, num=None, den=None):
    out = {"value": value}
    if den is not None:
        out.update(num=num, den=den)
    return out


def ratio(num, den, empty):
    return known(num / den, num, den) if den else {"undefined": empty}


def unknown(why):
    return {"unknown": why}


def pair(old, new, lang):
    """Pairs of indices of the same function, the left-over old and new ones, the pairs whose
    signature changed, and whether keys were ambiguous."""
    by_old, by_new = defaultdict(list), defaultdict(list)
    for side, by in ((old, by_old), (new, by_new)):
        for i, f in enumerate(side.fns):
            by[f.key].append(i)
    ambiguous = any(len(v) > 1 for v in list(by_old.values()) + list(by_new.values()))
    pairs = [p for k in by_old for p in zip(by_old[k], by_new.get(k, ()))]
    used_old, used_new = {a for a, _ in pairs}, {b for _, b in pairs}
    resigned = []
    if lang == "java":
        rest_old, rest_new = defaultdict(list), defaultdict(list)
        for side, by, used in ((old, rest_old, used_old), (new, rest_new, used_new)):
            for i, f in enumerate(side.fns):
                if i not in used and f.base != f.key:
                    by[f.base].append(i)
        for b in rest_old:
            if len(rest_old[b]) == 1 and len(rest_new.get(b, ())) == 1:
                resigned.append((rest_old[b][0], rest_new[b][0]))
            elif rest_new.get(b):
                ambiguous = True
        used_old |= {a for a, _ in resigned}
        used_new |= {b for _, b in resigned}
    gone = [i for i in range(len(old.fns)) if i not in used_old]
    come = [i for i in range(len(new.fns)) if i not in used_new]
    return pairs, resigned, gone, come, ambiguous


def touched(e, old, new, lang, how):
    """Indices of old functions with deleted and of new ones with inserted lines."""
    t_old, t_new = set(), set()
    own_old, own_new = old.owner_of_lines(), new.owner_of_lines()
    for a, b, c, d in e.hunks or ():
        for line in range(a, a + b):
            if line in own_old:
                t_old.add(own_old[line])
        for line in range(c, c + d):
            f = own_new.get(line)
            if how == "innermost strictly around":
                inside = [(fn.end - fn.start, k) for k, fn in enumerate(new.fns)
                          if fn.start < line and (line < fn.end or lang == "python" and line == fn.end)]
                f = min(inside)[1] if inside else None
                if f is not None:
                    t_new.add(f)
                continue
            if f is None:
                continue
            fn = new.fns[f]
            if how == "span inclusive" or fn.start < line and (
                    line < fn.end or lang == "python" and line == fn.end and how != "last line out"):
                t_new.add(f)
    return t_old, t_new


EMPTY = scan.Source()


class Exports:
    """What is exported after a change and was not before, by the rules of `explain public_added`: a
    file's keys against those of its old path; then, Java and Go, what came against what went in the
    same folder, one for one (two files of a folder may hold the same key). What a rename carries
    out of tests was there before, as in `fns_added`. The rest are readings."""

    def __init__(self):
        self.come, self.gone = defaultdict(Counter), defaultdict(Counter)

    def file(self, e, new, old, tests_before_count=True):
        production = e.old_class == "production"
        old = old if tests_before_count or production else EMPTY
        folder = lambda p: p.rpartition("/")[0]
        for reading in set(new.exports) | set(old.exports):
            n, o = new.exports.get(reading, set()), old.exports.get(reading, set())
            self.come[reading].update((folder(e.path), e.path, k) for k in n - o)
            if o and production:
                self.gone[reading].update((folder(e.old_path), e.path, k) for k in o - n)

    def added(self, readings, place):
        """`place`: what of (folder, path, key) must be the same for a move to be no addition."""
        total = 0
        for r in readings:
            come, gone = Counter(), Counter()
            for side, moved in ((self.come[r], come), (self.gone[r], gone)):
                for x, n in side.items():
                    moved[place(r, *x)] += n
            total += (come - gone).total()
        return known(total)

    @staticmethod
    def by_rule(reading, folder, path, key):
        return (path, key) if reading in ("plain", "dunder too") else (folder, key)


class Measures:
    def __init__(self, history, analyser, lookback, head_lang):
        self.h, self.an, self.lookback, self.lang = history, analyser, lookback, head_lang
        self.git = history.git

    # -- one commit
    def commit(self, i):
        self.m, self.r, self.why = {}, defaultdict(dict), defaultdict(set)
        self.i, self.base = i, max(0, i - self.lookback)
        self.change()
        self.state()
        return {"commit": self.h.commits[i], "metrics": self.m, "readings": self.r,
                "why": {k: sorted(v) for k, v in self.why.items() if v}}

    def put(self, id, figure, **readings):
        self.m[id] = figure
        for name, f in readings.items():
            if f != figure:
                self.r[id][name.replace("_", " ")] = f

    def side(self, blob, path):
        return self.an.of(blob, language(path)).src if blob and language(path) in ANALYSED else EMPTY

    def change(self):
        edits = self.h.edits(self.i)
        prod = [e for e in edits if e.production]
        count = lambda xs: known(sum(1 for _ in xs))
        created = [e for e in prod if e.status == "A"]
        self.put("files_created", known(len(created)))
        self.put("files_deleted", count(e for e in prod if e.status == "D"))
        self.put("files_changed", known(len(prod)), without_pure_renames=count(
            e for e in prod if e.status != "R" or e.old != e.new))
        add = lambda c: sum(e.added for e in edits if e.new_class == c)
        rem = lambda c: sum(e.removed for e in edits if e.old_class == c)
        na = lambda c: sum(e.numstat[0] for e in edits if e.new_class == c)
        nr = lambda c: sum(e.numstat[1] for e in edits if e.old_class == c)
        a, r, x, y = add("production"), rem("production"), na("production"), nr("production")
        self.put("lines_added", known(a), as_numstat=known(x))
        self.put("lines_removed", known(r), as_numstat=known(y))
        self.put("lines_net", known(a - r), as_numstat=known(x - y))
        self.put("churn", known(a + r), as_numstat=known(x + y))
        self.put("test_lines_added", known(add("test")), as_numstat=known(na("test")))
        self.put("test_lines_removed", known(rem("test")), as_numstat=known(nr("test")))
        self.put("churn_all", known(sum(e.added + e.removed for e in edits)),
                 as_numstat=known(sum(sum(e.numstat) for e in edits)))
        other = [e for e in edits if (e.new_class or e.old_class) == "other"]
        not_code = [e for e in edits if not e.production and "test" not in (e.old_class, e.new_class)]
        self.put("other_files_changed", known(len(other)), generated_and_vendored_too=known(len(not_code)))
        self.put("other_churn", known(sum(e.added + e.removed for e in other)),
                 generated_and_vendored_too=known(sum(e.added + e.removed for e in not_code)))
        dirs = {p.rpartition("/")[0] for e in prod for p, c in ((e.path, e.new_class), (e.old_path, e.old_class))
                if p and c == "production"}
        self.put("packages_touched", known(len(dirs)),
                 new_side_only=known(len({e.path.rpartition("/")[0] for e in prod})))
        self.entropy(prod)
        self.settled(prod)
        self.functions(prod, created)

    def entropy(self, prod):
        def h(xs, n):
            t = sum(xs)
            if n == 0 or t == 0:
                return {"undefined": "no changed lines"}
            if n == 1:
                return known(0.0)
            e = -sum(x / t * math.log2(x / t) for x in xs if x)
            return known(e / math.log2(n), e, math.log2(n))
        per = []
        for e in prod:
            per.append((e.added if e.new_class == "production" else 0) + (e.removed if e.old_class == "production" else 0))
        some = [x for x in per if x]
        zero_lines = known(0.0) if prod else {"undefined": "no changed files"}
        self.put("change_entropy", h(some, len(some)), files_without_lines_too=h(per, len(per)) if some else zero_lines)

    def settled(self, prod):
        old = touch = 0
        for e in prod:
            if e.status == "A" or e.hunks is None:
                continue
            touch += (e.added if e.new_class == "production" else 0) + (e.removed if e.old_class == "production" else 0)
            if e.removed and e.old_class == "production":
                who = self.h.origins(self.base, self.i - 1, e.old_path)
                for a, b, _, _ in e.hunks:
                    for line in range(a, a + b):
                        k = who[line]
                        k = 0 if k < 0 else k - self.base
                        old += (self.i - self.base) - k >= 2
        self.put("reedit_settled_rate", ratio(old, touch, "no lines changed in old files"))

    def functions(self, prod, created):
        mod, mod_alt = [], defaultdict(int)
        same = same_name = added = deleted = pc = hot = with_fn = 0
        cc = Counter()
        cog = Counter()
        liz_cc = liz_cog = 0
        body = prior = pc_lines = pc_prior = pc_once = pc_once_prior = 0
        exports, exports_of_production = Exports(), Exports()
        broken, unread = defaultdict(set), defaultdict(set)
        for e in prod:
            lang_new = language(e.path) if e.new_class == "production" else None
            lang_old = language(e.old_path) if e.old_class else None
            lang = lang_new if e.new else lang_old
            both = [(b, l) for b, l in ((e.old, lang_old), (e.new, lang_new)) if b]
            for b, l in both:
                error = self.an.of(b, l).src.error if l in ANALYSED else l and f"no parser for {l}"
                if error:
                    unread["after" if e.new else "gone"].add(error)
                    unread["before" if e.old else "come"].add(error)
                    if len(both) == 2:
                        unread["both"].add(error)
                        if b == e.new:
                            unread["new side of both"].add(error)
            if lang not in ANALYSED:
                continue
            sides = [s for s in ((e.old, lang_old), (e.new, lang_new)) if s[0] and s[1] in ANALYSED]
            for b, l in sides:
                a = self.an.of(b, l)
                if a.src.error:
                    broken[l].add(a.src.error)
                self.why["rows"].update(a.codes)
            if e.new and e.status != "A" and e.new_class == "production" and not self.an.of(e.new, lang).src.error:
                new = self.side(e.new, e.path)
                hit = {k for k, f in enumerate(new.fns) for _, _, c, d in e.hunks or ()
                       if c <= f.end and c + max(d, 1) - 1 >= f.start}
                pc += len(hit)
                if hit:
                    who = self.h.origins(self.base, self.i, e.path)
                    lines = set()
                    for k in hit:
                        for line in range(new.fns[k].start, new.fns[k].end + 1):
                            pc_lines += 1
                            pc_prior += self.earlier(who[line])
                            lines.add(line)
                    pc_once += len(lines)
                    pc_once_prior += sum(self.earlier(who[x]) for x in lines)
            if any(self.an.of(b, l).src.error for b, l in sides):
                continue
            new = self.side(e.new, e.path) if e.new_class == "production" else EMPTY
            old = self.side(e.old, e.old_path) if e.old else EMPTY
            if e.old and lang_old != lang and e.new:
                old = EMPTY if lang_old not in ANALYSED else old
            old_prod = old if e.old_class == "production" else EMPTY
            for side, sign, l in ((new, 1, lang), (old_prod, -1, lang_old)):
                for r in side.rows:
                    cc[l] += sign * r.cc
                    if l != "go" or not r.nested:
                        cog[l] += sign * r.cog
            for b, l, c, sign in ((e.new, lang_new, e.new_class, 1), (e.old, lang_old, e.old_class, -1)):
                if b and l == self.lang and c == "production":
                    for x in self.an.of(b, l).liz:
                        liz_cc += sign * x[4]
                        liz_cog += sign * (x[5] or 0)
            if e.status == "A" and new.fns:
                with_fn += 1
            pairs, resigned, gone, come, ambiguous = pair(old, new, lang)
            if ambiguous:
                self.why["key"].add(e.path)
            added += len(come)
            if e.old_class == "production":
                deleted += len(gone)
            t_old, t_new = touched(e, old, new, lang, "")
            here = [(a, b) for a, b in pairs if a in t_old or b in t_new] + resigned
            for how in ("innermost strictly around", "span inclusive", "last line out"):
                x, y = touched(e, old, new, lang, how)
                mod_alt[how] += sum(1 for a, b in pairs if a in x or b in y) + len(resigned)
            mod_alt["changed signature is another function"] += len(here) - len(resigned)
            mod_alt["old side must be production"] += len(here) if e.old_class == "production" else 0
            mod += [(e.path, new.fns[b].key) for _, b in here]
            same += sum(old.fns[a].tokens == new.fns[b].tokens for a, b in here)
            same_name += sum(old.fns[a].tokens_from_name == new.fns[b].tokens_from_name for a, b in here)
            hot += sum(new.fns[b].cog > 15 for b in come)
            hot += sum(new.fns[b].cog > 15 and new.fns[b].cog > old.fns[a].cog for a, b in pairs + resigned)
            who = None
            if here:
                who = self.h.origins(self.base, self.i, e.path)
                own = new.owner_of_lines()
                chosen = {b for _, b in here}
                for line, f in own.items():
                    if f in chosen:
                        body += 1
                        prior += self.earlier(who[line])
            exports.file(e, new, old)
            exports_of_production.file(e, new, old, False)
        sig = "; ".join(sorted({x for v in broken.values() for x in v}))

        def fn(id, which, figure, **readings):
            """`which` files that cannot be read make it unknown."""
            if unread[which]:
                self.why["parse"] |= unread[which]
                self.put(id, unknown("; ".join(sorted(unread[which]))))
            else:
                self.put(id, figure, **readings)
        fn("existing_fns_modified", "both", known(len(mod)),
           **{k.replace(" ", "_"): known(v) for k, v in mod_alt.items()})
        fn("fns_modified_in_old_files", "new side of both", known(pc))
        fn("fns_reformatted", "both", known(same), from_the_name_on=known(same_name))
        fn("fns_added", "after", known(added))
        fn("fns_deleted", "before", known(deleted))
        fn("source_files_added", "come", known(with_fn))
        fn("reedit_rate", "both", ratio(prior, body, "no edited function"))
        fn("reedit_rate_pc", "new side of both", ratio(pc_prior, pc_lines, "no edited function"),
           each_line_once=ratio(pc_once_prior, pc_once, "no edited function"))
        fn("hotspots", "after", known(hot))
        langs = {e.lang for e in prod} & set(ANALYSED)
        p, wider, bodies = ([x[lang] for lang in sorted(langs)] for x in (
            {"java": "public", "python": "plain", "go": "capital"},
            {"java": "public+protected", "python": "dunder too", "go": "capital"},
            {"java": "public with a body", "python": "plain", "go": "capital"}))
        rule, rs = Exports.by_rule, exports.added
        fn("public_added", "after", rs(p, rule), moves_in_the_folder_are_added=rs(p, lambda r, f, path, k: (path, k)),
           moves_in_the_folder_are_none=rs(p, lambda r, f, path, k: (f, k)),
           moves_anywhere_are_none=rs(p, lambda r, f, path, k: k), wider=rs(wider, rule),
           with_a_body_only=rs(bodies, rule),
           old_side_must_be_production=exports_of_production.added(p, rule))
        for id, total, raw in (("net_cc", cc, liz_cc), ("net_cognitive", cog, liz_cog)):
            if broken[self.lang]:
                self.why["parse"].add(sig)
                self.put(id, unknown(sig))
            else:
                self.put(id, known(total[self.lang]), lizard_rows=known(raw))
                if self.lang == "go" and id == "net_cognitive":
                    self.r[id].pop("lizard rows", None)

    def earlier(self, origin):
        return origin >= 0 and origin != self.i

    # -- the tree
    def state(self):
        git, c, lang = self.git, self.h.commits[self.i], self.lang
        # the root is held against the empty tree
        tree, base = git.tree(c), git.tree(self.h.commits[self.base]) if self.i else {}
        files = [p for p in sorted(tree, key=lambda p: p.encode("utf-8", "surrogateescape"))
                 if language(p) and self.h.classes.of(c, p, tree[p]) == "production"]
        rows, touched_rows, liz, liz_touched = [], [], [], []
        loc, liz_loc, nrows, liz_nrows = Counter(), Counter(), 0, 0
        wmc, wmc_file_only, wmc_enum, wmc_file, nfns = Counter(), Counter(), Counter(), Counter(), 0
        for p in files:
            l = language(p)
            if l not in ANALYSED:
                continue
            a = self.an.of(tree[p], l)
            if a.src.error:
                self.why["parse"].add(f"{p}: {a.src.error}")
                continue
            loc[l] += a.src.nloc
            liz_loc[l] += a.liz_nloc
            nrows += len(a.src.rows)
            liz_nrows += len(a.liz)
            nfns += len(a.src.fns)
            if l != lang:
                continue
            self.why["rows"].update(a.codes)
            rows += [(r.cc, r.nloc) for r in a.src.rows]
            liz += [(x[4], x[3]) for x in a.liz]
            if base.get(p) != tree[p]:
                touched_rows += [(r.cc, r.nloc) for r in a.src.rows]
                liz_touched += [(x[4], x[3]) for x in a.liz]
                wmc_file[p] += sum(r.cc for r in a.src.rows)
                for r in a.src.rows:
                    if r.cls is not None:
                        wmc_file_only[p, r.cls] += r.cc
                        wmc_enum[p, r.outer_cls or r.cls] += r.cc
                        wmc[(p.rpartition("/")[0] if l == "go" else p), r.cls] += r.cc
        self.put("erosion", self.erosion(rows, 10), lizard_rows=self.erosion(liz, 10))
        self.put("erosion_scoped", self.erosion(touched_rows, 10), lizard_rows=self.erosion(liz_touched, 10))
        self.put("erosion_extreme", self.erosion(rows, 30), lizard_rows=self.erosion(liz, 30))
        none = {"undefined": "no functions in the touched subsystem"}
        top = lambda xs: known(max(xs)) if xs else none
        self.put("hotspot_cc", top([x[0] for x in touched_rows]), lizard_rows=top([x[0] for x in liz_touched]),
                 zero_when_empty=known(max([x[0] for x in touched_rows], default=0)))
        self.put("wmc_max", top(wmc.values()), go_types_by_file=top(wmc_file_only.values()),
                 constant_bodies_in_their_enum=top(wmc_enum.values()) if lang == "java" else top(wmc.values()),
                 zero_when_empty=known(max(wmc.values(), default=0)))
        self.put("wmc_max_file", top(wmc_file.values()), zero_when_empty=known(max(wmc_file.values(), default=0)))
        self.put("entry_cc", unknown("no entry pattern"))
        self.put("fn_count", known(nrows), lizard_rows=known(liz_nrows), functions_not_rows=known(nfns))
        n = sum(x[1] for x in rows)
        ln = sum(x[1] for x in liz)
        self.put("fn_nloc_avg", ratio(n, len(rows), "no functions"), lizard_rows=ratio(ln, len(liz), "no functions"))
        nofn = {"undefined": "no functions"}
        most = lambda xs, k: known(max(x[k] for x in xs)) if xs else nofn
        self.put("fn_nloc_max", most(rows, 1), lizard_rows=most(liz, 1))
        self.put("fn_cc_max", most(rows, 0), lizard_rows=most(liz, 0))
        self.put("fn_sloc", known(n), lizard_rows=known(ln))
        self.put("loc", known(sum(loc.values())), lizard_rows=known(sum(liz_loc.values())))
        for l in ANALYSED:
            self.put("loc_" + l, known(loc[l]), lizard_rows=known(liz_loc[l]))
        self.config(tree)
        self.concentration(rows, liz)
        self.hot_share()

    def erosion(self, rows, limit):
        mass = lambda xs: math.fsum(c * math.sqrt(max(n, 1)) for c, n in xs)
        return ratio(mass([x for x in rows if x[0] > limit]), mass(rows), "no functions")

    def config(self, tree):
        total = Counter()
        for p, oid in tree.items():
            ext = p.rsplit(".", 1)[-1] if "." in p.rsplit("/", 1)[-1] else ""
            kind = {"yml": "yaml", "yaml": "yaml", "toml": "toml", "xml": "xml", "properties": "properties"}.get(ext)
            if kind:
                data = self.git.blob(oid)
                if b"\0" not in data[:8000]:
                    total[kind] += config_lines(scan.decode(data), kind)
        self.put("loc_yaml", known(total["yaml"]))
        self.put("loc_config", known(sum(total.values())))

    def concentration(self, rows, liz):
        def gini(xs):
            xs = sorted(xs)
            n = len(xs)
            return ratio(sum((2 * k - n - 1) * x for k, x in enumerate(xs, 1)), n * sum(xs), "no functions")
        def top(xs, k):
            xs = sorted(xs, reverse=True)
            return ratio(sum(xs[:k]), sum(xs), "no functions")
        cc, l = [x[0] for x in rows], [x[0] for x in liz]
        up = lambda n: -(-n // 5)
        self.put("cc_gini", gini(cc), lizard_rows=gini(l))
        self.put("cc_top20", top(cc, up(len(cc))), lizard_rows=top(l, up(len(l))),
                 rounded_down=top(cc, max(1, len(cc) // 5)), rounded=top(cc, max(1, round(len(cc) / 5))))

    def hot_share(self):
        def share(follow, renamed_count):
            times, churn = Counter(), Counter()
            for j in range(self.base + 1, self.i + 1):
                for e in self.h.edits(j):
                    if e.status == "R" and follow:
                        for t in (times, churn):
                            if e.old_path in t:
                                t[e.path] += t.pop(e.old_path)
                    if not e.production or e.hunks is None:
                        continue
                    if e.status == "M" or e.status == "R" and renamed_count and e.hunks:
                        times[e.path] += 1
                        churn[e.path] += e.added + e.removed
            best = sorted(times, key=lambda p: (-times[p], -churn[p], p.encode("utf-8", "surrogateescape")))[:3]
            return ratio(sum(churn[p] for p in best), sum(churn.values()), "no file modified since base")
        self.put("churn_hot_share", share(False, False), renames_followed=share(True, False),
                 edits_in_renames_too=share(True, True))


def config_lines(text, kind):
    lines = text.split("\n")
    if kind == "xml":
        out = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
        return sum(1 for x in out.split("\n") if x.strip())
    mark = ("#", "!") if kind == "properties" else ("#",)
    return sum(1 for x in lines if x.strip() and not x.strip().startswith(mark))
