//! Functions in the sense of the change measures: keys, what is folded into what, classes,
//! exports, spans and token hashes.

use std::sync::Arc;

use git_evolve::syntax::{
    Analyser, ExportKind, Function, Language, Profile, Structure, Unparsed, generated_header,
};

fn read(language: Language, source: &str) -> Arc<Structure> {
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let source: Arc<[u8]> = source.as_bytes().into();
    let version = analyser.analyse(language, &source);
    Arc::clone(version.structure().unwrap_or_else(|e| panic!("{e}")))
}

fn keys(s: &Structure) -> Vec<&str> {
    s.functions.iter().map(|f| &*f.key).collect()
}

fn classes(s: &Structure) -> Vec<&str> {
    s.classes.iter().map(|c| &*c.name).collect()
}

fn exports(s: &Structure, kind: ExportKind) -> Vec<&str> {
    let of_kind = s.exports.iter().filter(|e| e.kind == kind);
    of_kind.map(|e| &*e.key).collect()
}

fn function<'s>(s: &'s Structure, key: &str) -> &'s Function {
    let found = s.functions.iter().find(|f| &*f.key == key);
    found.unwrap_or_else(|| panic!("{key} in {:?}", keys(s)))
}

/// `function key -> class`, and the names of rows by the function they are in.
fn class_of<'s>(s: &'s Structure, key: &str) -> Option<&'s str> {
    function(s, key).class.map(|c| &*s.classes[c as usize].name)
}

fn rows_of<'s>(s: &'s Structure, key: &str) -> Vec<&'s str> {
    let rows = s.rows.iter();
    rows.filter(|r| &*s.functions[r.function as usize].key == key)
        .map(|r| &*r.name)
        .collect()
}

#[test]
fn java_keys_hold_classes_and_parameter_types() {
    let s = read(
        Language::Java,
        "package p;
public class Outer<T> {
    public Outer(final int a, String... rest) { }
    <K> Map<K, List<T>> m(Map<K, List<T>> src, java.util.List<? super T> l, int[] a, long b[]) { return null; }
    protected void annotated(@Nullable @Size(min = 1) String s, Outer.Inner<T> i, char c) { }
    static class Inner { void m() { } class Deep { int x(Outer<T> this) { return 1; } } }
    enum Op { ADD { int apply(int a) { return a; } }, SUB; int apply(int a) { return -a; } }
    record Range(int lo, int hi) { Range { } Range(int lo) { this(lo, 1); } }
}
",
    );
    assert_eq!(
        keys(&s),
        [
            "Outer::Outer(int,String...)",
            "Outer::m(Map,java.util.List,int[],long[])",
            "Outer::annotated(String,Outer.Inner,char)",
            "Outer.Inner::m()",
            "Outer.Inner.Deep::x()",
            "Outer.Op.ADD::apply(int)",
            "Outer.Op::apply(int)",
            "Outer.Range::Range()",
            "Outer.Range::Range(int)",
        ]
    );
    assert_eq!(
        function(&s, "Outer.Op.ADD::apply(int)").base(),
        "Outer.Op.ADD::apply"
    );
    assert_eq!(class_of(&s, "Outer.Op.ADD::apply(int)"), Some("Outer.Op"));
    assert_eq!(
        classes(&s),
        [
            "Outer",
            "Outer.Inner",
            "Outer.Inner.Deep",
            "Outer.Op",
            "Outer.Range"
        ]
    );
}

#[test]
fn java_anonymous_methods_are_folded_and_local_classes_are_not() {
    let s = read(
        Language::Java,
        "class A {
    Runnable field = new Thread() {
        public void run() { if (x) { y(); } }
        void more() { }
    }, other = () -> new Object() { public String toString() { return null; } };
    static { new Thread() { public void run() { } }.start(); }
    { new Thread() { public void run() { } }.start(); }
    enum E { ONE(new Object() { int f() { return 1; } }); }
    void m(boolean a) {
        if (a) { n(); }
        new Thread() {
            public void run() {
                if (a) { n(); }
                class Local { int d() { return a ? 1 : 2; } }
            }
        }.start();
    }
}
",
    );
    assert_eq!(
        keys(&s),
        [
            "A::field",
            "A::field#2",
            "A::other",
            "A::{static}",
            "A::{}",
            "A.E::ONE",
            "A::m(boolean)",
            "A.Local::d()",
        ]
    );
    assert_eq!(rows_of(&s, "A::m(boolean)"), ["A::m", "(anonymous)::run"]);
    let m = function(&s, "A::m(boolean)");
    assert_eq!((m.cc, m.cognitive, m.start, m.end), (4, 2, 9, 17));
    let d = function(&s, "A.Local::d()");
    assert_eq!(
        d.parent.map(|p| &*s.functions[p as usize].key),
        Some("A::m(boolean)")
    );
    assert_eq!(class_of(&s, "A.Local::d()"), Some("A.Local"));
    assert_eq!(class_of(&s, "A::field"), Some("A"));
    assert!(s.rows.iter().any(|r| &*r.name == "Local::d" && r.nested));
}

#[test]
fn java_exports_are_public_all_the_way_out() {
    let s = read(
        Language::Java,
        "public class A {
    public void a() { }
    protected void b() { }
    public abstract int c(int x);
    class Hidden { public void no() { } }
    private static class Inner { public static class No { } }
    public static class Open { public Open() { } }
    void m() { class L { public void no() { } } new Object() { public String toString() { return null; } }; }
}
public interface I {
    int area(double d);
    private int helper() { return 1; }
    class Member { }
}
interface OfThePackage {
    int area(double d);
    class Member { }
}
public @interface Note { String value() default \"\"; }
",
    );
    assert_eq!(
        exports(&s, ExportKind::Function),
        [
            "A.Open::Open()",
            "A::a()",
            "A::c(int)",
            "I::area(double)",
            "Note::value()",
        ]
    );
    assert_eq!(
        exports(&s, ExportKind::Type),
        ["A", "A.Open", "I", "I.Member", "Note"]
    );
}

#[test]
fn python_keys_hold_classes_and_functions_around() {
    let s = read(
        Language::Python,
        "class A:
    class B:
        def m(self):
            def key(x):
                return x
            return key
    @property
    def p(self): return 1
    @p.setter
    def p(self, v): pass
def outer():
    class Local:
        def grow(self): pass
    def _inner():
        pass
def _private(): pass
class _Hidden:
    def seen(self): pass
",
    );
    assert_eq!(
        keys(&s),
        [
            "A.B.m",
            "A.B.m.key",
            "A.p",
            "A.p",
            "outer",
            "outer.Local.grow",
            "outer._inner",
            "_private",
            "_Hidden.seen",
        ]
    );
    assert_eq!(classes(&s), ["A", "A.B", "outer.Local", "_Hidden"]);
    assert_eq!(class_of(&s, "A.B.m.key"), Some("A.B"));
    assert_eq!(class_of(&s, "outer._inner"), None);
    assert_eq!(function(&s, "A.B.m.key").parent, Some(0));
    assert_eq!(exports(&s, ExportKind::Function), ["A.B.m", "A.p", "outer"]);
    assert_eq!(exports(&s, ExportKind::Type), ["A", "A.B"]);
}

#[test]
fn go_keys_hold_receivers_and_literals_are_folded() {
    let s = read(
        Language::Go,
        "package p
type T struct{}
type hidden[K any] struct{}
type (
	A = T
	b int
)
func (t *T) Run(xs []int) { each(xs, func(x int) { if x > 0 { go func() {}() } }) }
func (h *hidden[K]) Get() {}
func (T) stop() {}
func Map[K any](k K) {}
func init() {}
var handler = func() { if true { } }
var table = map[string]func(){ \"a\": func() {}, \"b\": func() {} }
var _ = func() {}
var _ = func() {}
func external(a int) int
",
    );
    assert_eq!(
        keys(&s),
        [
            "(T).Run",
            "(hidden).Get",
            "(T).stop",
            "Map",
            "init",
            "handler",
            "table",
            "table#2",
            "_",
            "_#2",
        ]
    );
    assert_eq!(
        rows_of(&s, "(T).Run"),
        ["Run", "anonymous__0", "anonymous__1"]
    );
    assert_eq!(rows_of(&s, "table#2"), ["anonymous__3"]);
    let run = function(&s, "(T).Run");
    assert_eq!((run.cc, run.cognitive), (4, 2));
    assert_eq!(classes(&s), ["T", "hidden"]);
    assert_eq!(class_of(&s, "(T).stop"), Some("T"));
    assert_eq!(class_of(&s, "handler"), None);
    assert_eq!(exports(&s, ExportKind::Function), ["(T).Run", "Map"]);
    assert_eq!(exports(&s, ExportKind::Type), ["A", "T"]);
}

#[test]
fn go_recursion_goes_by_what_the_name_means() {
    let s = read(
        Language::Go,
        "package p
func fact(n int) int { return fact(n-1) + func() int { return fact(n-2) }() }
func shadow(shadow func()) { shadow() }
func local() { local := func() {}; local() }
func before() { before(); before := 1; _ = before }
func inner() { if inner := 1; inner > 0 { inner() }; inner() }
func loop() { for _, loop := range x { loop() } }
type T struct{}
func (t T) run() { run() }
func (t T) fact() { fact(1) }
func (t T) self() { t.self() }
",
    );
    let scores: Vec<_> = s.functions.iter().map(|f| (&*f.key, f.cognitive)).collect();
    assert_eq!(
        scores,
        [
            ("fact", 2),
            ("shadow", 0),
            ("local", 0),
            ("before", 1),
            ("inner", 2),
            ("loop", 1),
            ("(T).run", 1),
            ("(T).fact", 0),
            ("(T).self", 0),
        ]
    );
}

fn tokens(language: Language, source: &str) -> u64 {
    read(language, source).functions[0].tokens
}

#[test]
fn the_token_hash_sees_tokens_and_not_layout() {
    let java = |body: &str| tokens(Language::Java, &format!("class A {{ {body} }}"));
    let base = java("int m(int a) { return a + 1; }");
    assert_eq!(
        base,
        java("int m(int a)\n{\n  // why\n  return a\n + 1;\n}")
    );
    assert_eq!(
        base,
        java("@Override @X(y = 1)\nint m(int a) { return a + 1; }")
    );
    assert_ne!(base, java("int m(int a) { return a + 2; }"));
    assert_ne!(base, java("long m(int a) { return a + 1; }"));
    assert_ne!(base, java("int m(@X int a) { return a + 1; }"));
    let python = |source: &str| tokens(Language::Python, source);
    let base = python("def f(a):\n    if a:\n        b()\n        c()\n");
    assert_eq!(
        base,
        python("@deco\ndef f( a ):\n  # why\n  if a:\n\n      b()\n      c()\n")
    );
    assert_ne!(base, python("def f(a):\n    if a:\n        b()\n    c()\n"));
    assert_ne!(
        base,
        python("def f(a):\n    \"doc\"\n    if a:\n        b()\n        c()\n")
    );
    assert_ne!(
        python("def f():\n    a\n    (b)\n"),
        python("def f():\n    a(b)\n")
    );
    let go = |body: &str| tokens(Language::Go, &format!("package p\nfunc f() {{{body}}}\n"));
    assert_eq!(go(" a(); b() "), go("\n\ta() // why\n\tb()\n"));
    assert_ne!(go("\n\ta\n\t(b)\n"), go("\n\ta(b)\n"));
    // A nested function's tokens are its own.
    let outer = |inner: &str| {
        python(&format!(
            "def f():\n    def g():\n        {inner}\n    return g\n"
        ))
    };
    assert_eq!(outer("return 1"), outer("return 2"));
}

#[test]
fn line_ends_marks_and_broken_bytes_do_not_move_a_figure() {
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let mut of = |bytes: &[u8]| {
        let version = analyser.analyse(Language::Java, &Arc::from(bytes));
        version.structure().map(|s| (**s).clone())
    };
    let plain = of(b"class A {\n  int a() {\n    return 1;\n  }\n}\n").unwrap();
    assert_eq!(
        of(b"class A {\r\n  int a() {\r\n    return 1;\r\n  }\r\n}\r\n").unwrap(),
        plain
    );
    assert_eq!(
        of(b"\xef\xbb\xbfclass A {\n  int a() {\n    return 1;\xff\n  }\n}\n").unwrap(),
        plain
    );
    let cr = of(b"class A {\r  int a() {\r    return 1;\r  }\r}\r").unwrap();
    assert_eq!(cr.rows, plain.rows);
    assert_eq!(
        (
            cr.functions[0].start,
            cr.functions[0].end,
            cr.classes[0].start
        ),
        (1, 1, 1)
    );
    assert_eq!(of(b"class A {\0}"), Err(Unparsed::Binary));
    assert_eq!(
        of(b"version https://git-lfs.github.com/spec/v1\n"),
        Err(Unparsed::LfsPointer)
    );
    assert_eq!(of(b"class A {"), Err(Unparsed::SyntaxError));
    assert_eq!(
        of(&vec![b'\n'; 5 * 1024 * 1024 + 1]),
        Err(Unparsed::TooLarge)
    );
    assert_eq!(of(b"").unwrap(), Structure::default());
}

#[test]
fn a_generated_file_says_so_at_its_top() {
    assert!(generated_header(
        Language::Go,
        b"// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage p\n"
    ));
    assert!(!generated_header(Language::Go, b"package p\n"));
}

#[test]
fn slopcodebench_counts_nested_functions_in_their_parents_too() {
    let mut analyser = Analyser::new(Profile::Scb).unwrap();
    let source: Arc<[u8]> = "def f(a):
    \"\"\"Doc
    string.\"\"\"
    assert a and a
    def g(b):
        return [x for x in b if x]
    try:
        match a:
            case 1: pass
    except E:
        pass
    finally:
        pass
    return g
"
    .as_bytes()
    .into();
    let version = analyser.analyse(Language::Python, &source);
    let rows = &version.structure().unwrap().rows;
    let figures: Vec<_> = rows.iter().map(|r| (&*r.name, r.cc, r.nloc)).collect();
    assert_eq!(figures, [("f", 6, 12), ("f.g", 3, 2)]);
}
