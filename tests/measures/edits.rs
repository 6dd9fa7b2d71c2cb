//! What each kind of edit of a function is.

use super::{OWNER, PATH, edit, expect, java, newest, word};
use crate::support::Repo;

#[test]
fn a_new_file_adds_its_whole_score() {
    let r = java();
    // age: CC 1 + if + && = 3, cognitive if 1 + && 1 = 2; greet: CC 1.
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "2"),
            ("existing_fns_modified", "0"),
            ("net_cc", "4"),
            ("net_cognitive", "2"),
            ("files_created", "1"),
            ("source_files_added", "1"),
            ("lines_added", "14"),
            ("churn", "14"),
            ("packages_touched", "1"),
            ("reedit_rate", "undefined"),
            ("reedit_settled_rate", "undefined"),
            ("change_entropy", "0"),
            ("hotspots", "0"),
            ("loc", "12"),
            ("fn_count", "2"),
            ("fn_cc_max", "3"),
        ],
    );
}

#[test]
fn adding_a_function_to_an_old_file_modifies_none() {
    let r = java();
    let added = "        say(\"hello\");\n    }\n\n    void bye() {\n        for (;;) {\n            say(\"bye\");\n        }\n    }\n}\n";
    edit(
        &r,
        PATH,
        OWNER,
        "        say(\"hello\");\n    }\n}\n",
        added,
    );
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "1"),
            ("existing_fns_modified", "0"),
            // PetClinic-Evolve's own count takes the new function for a modified one.
            ("fns_modified_in_old_files", "1"),
            ("net_cc", "2"),
            ("net_cognitive", "1"),
            ("files_created", "0"),
            ("files_changed", "1"),
            ("lines_added", "6"),
            ("lines_removed", "0"),
            ("reedit_rate", "undefined"),
        ],
    );
}

#[test]
fn growing_adds_the_growth_and_deleting_subtracts() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "        return 0;\n",
        "        return now < 0 ? -1 : 0;\n",
    );
    let grown = newest(&r, &[]);
    expect(
        &grown,
        &[
            ("existing_fns_modified", "1"),
            ("fns_reformatted", "0"),
            ("net_cc", "1"),
            ("net_cognitive", "1"),
            ("churn", "2"),
            // Six body lines; five of the change before (an earlier one), one of this.
            ("reedit_settled_rate", "0"),
        ],
    );
    assert_eq!(grown["reedit_rate"]["num"], 5);
    assert_eq!(grown["reedit_rate"]["den"], 6);
    let without: String = OWNER
        .lines()
        .filter(|l| !["    void greet() {", "        say(\"hello\");"].contains(l))
        .map(|l| format!("{l}\n"))
        .collect();
    let without = without.replace(
        "        return 0;\n    }\n\n    }\n",
        "        return 0;\n    }\n",
    );
    r.write(PATH, without);
    r.commit("delete");
    expect(
        &newest(&r, &[]),
        &[
            ("fns_deleted", "1"),
            ("net_cc", "-2"),
            ("existing_fns_modified", "1"),
        ],
    );
}

#[test]
fn an_edit_of_a_comment_only_reformats() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "        return 0;\n",
        "        // nobody\n        return 0;\n",
    );
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "1"),
            ("fns_reformatted", "1"),
            ("net_cc", "0"),
        ],
    );
}

#[test]
fn an_annotation_is_outside_of_the_body_and_a_new_overload_is_another_function() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "    void greet() {",
        "    @Deprecated\n    void greet() {",
    );
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "0"), ("churn", "1")],
    );
    let overload = OWNER.replace(
        "    void greet() {",
        "    void greet(String name) {\n        say(name);\n    }\n\n    void greet() {",
    );
    r.write(PATH, overload);
    r.commit("overload");
    expect(
        &newest(&r, &[]),
        &[("fns_added", "1"), ("fns_deleted", "0")],
    );
}

#[test]
fn a_changed_parameter_list_is_the_same_function_modified() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "int age(int now) {",
        "int age(long now, int zone) {",
    );
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "1"),
            ("fns_added", "0"),
            ("fns_deleted", "0"),
        ],
    );
}

#[test]
fn a_method_of_an_anonymous_class_belongs_to_the_method_around_it() {
    let r = java();
    let text = "class A {\n    Runnable r() {\n        return new Runnable() {\n            public void run() {\n                if (on) {\n                    go();\n                }\n            }\n        };\n    }\n}\n";
    r.write("src/main/java/a/A.java", text);
    r.commit("anonymous");
    expect(
        &newest(&r, &[]),
        &[("fns_added", "1"), ("fn_count", "4"), ("net_cc", "3")],
    );
    edit(&r, "src/main/java/a/A.java", text, "go();", "stop();");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "1"), ("fns_added", "0")],
    );
}

#[test]
fn a_go_closure_belongs_to_its_declaration() {
    let r = Repo::new();
    r.commit("root");
    let text =
        "package p\n\nfunc run() {\n\tgo func() {\n\t\tif on {\n\t\t\twork()\n\t\t}\n\t}()\n}\n";
    r.write("p.go", text);
    r.commit("closure");
    // Rows: run (CC 1), its closure (CC 2); the declaration's cognitive score holds the closure's.
    let added = newest(&r, &[]);
    expect(
        &added,
        &[
            ("fns_added", "1"),
            ("net_cc", "3"),
            ("net_cognitive", "2"),
            ("fn_count", "2"),
        ],
    );
    edit(&r, "p.go", text, "work()", "rest()");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "1"), ("net_cc", "0")],
    );
}

#[test]
fn a_nested_def_is_touched_alone_and_the_last_line_of_a_body_is_inside() {
    let r = Repo::new();
    r.commit("root");
    let text = "def outer(a):\n    def inner(b):\n        return b\n    return inner(a)\n\n\ndef other():\n    pass\n";
    r.write("m.py", text);
    r.commit("nested");
    expect(&newest(&r, &[]), &[("fns_added", "3")]);
    edit(
        &r,
        "m.py",
        text,
        "        return b\n",
        "        b += 1\n        return b\n",
    );
    let m = newest(&r, &[]);
    expect(&m, &[("existing_fns_modified", "1")]);
    assert_eq!(
        m["existing_fns_modified"]["items"][0]["name"],
        "outer.inner"
    );
    // A statement written behind the last line of a body: no line is deleted.
    r.write("m.py", text.replace("    pass\n", "    pass\n    go()\n"));
    r.commit("append a statement");
    let m = newest(&r, &[]);
    assert_eq!(
        word(&m, "existing_fns_modified"),
        "2",
        "inner is put back, other grows"
    );
}

#[test]
fn a_function_written_behind_another_does_not_touch_it() {
    let r = Repo::new();
    r.commit("root");
    let text = "package p\n\nfunc a() {\n\tx()\n}\n";
    r.write("p.go", text);
    r.commit("a");
    r.write("p.go", format!("{text}\nfunc b() {{\n\tx()\n}}\n"));
    r.commit("b");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "0"), ("fns_added", "1")],
    );
}

#[test]
fn a_change_that_changes_nothing_is_zero_for_counts_and_undefined_for_ratios() {
    let r = java();
    r.commit("nothing");
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "0"),
            ("fns_added", "0"),
            ("churn", "0"),
            ("files_changed", "0"),
            ("net_cc", "0"),
            ("reedit_rate", "undefined"),
            ("change_entropy", "undefined"),
            ("fn_count", "2"),
        ],
    );
}
