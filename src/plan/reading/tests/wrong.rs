//! Plans in which one thing is wrong.

use super::LEAST;
use crate::plan::read_alone;

/// What stands in the least plan, what stands there instead, what is said of it, and the hint.
type Wrong = (&'static str, &'static str, &'static str, &'static str);

// One case a line: a table is read across.
#[rustfmt::skip]
const CASES: &[Wrong] = &[
    // Whole tables.
    ("[experiment]", "[experimnt]", "e:1:2: unknown table 'experimnt'", "did you mean 'experiment'?"),
    ("[experiment]", "experiment = 3\n[x]", "must be a table", ""),
    ("[[arms]]\nname = 'plain'\n", "", "e:1:1: there are no [[arms]]", ""),
    ("[[checkpoints]]\nid = 'one'\nprompt_text = 'do it'\n", "", "e:1:1: there are no [[checkpoints]]", ""),
    ("[agent]\ncommand = ['sh', '-c', 'true']\n", "", "e:3:1: there is no [agent]", ""),
    // Names.
    ("'exp'", "'Exp'", "e:2:8: name in [experiment] must be of lower-case letters", ""),
    ("name = 'exp'\n", "", "e:1:1: [experiment] has no name", ""),
    ("'plain'", "'reference'", "e:6:8: an arm cannot be named 'reference'", ""),
    ("name = 'plain'\n", "name = 'plain'\n[[arms]]\nname = 'plain'\n", "e:8:8: a second arm 'plain'", ""),
    ("name = 'plain'\n", "name = 'a'\nbaseline = true\n[[arms]]\nname = 'b'\nbaseline = true\n", "e:10:12: a second baseline: arm 'a' is one", ""),
    ("[[arms]]", "[[tasks]]\nname = '12'\n[[arms]]", "a task's name is not all digits", ""),
    ("prompt_text = 'do it'\n", "prompt_text = 'x'\n[[checkpoints]]\nid = 'one'\nprompt_text = 'y'\n", "e:11:6: a second checkpoint 'one'", ""),
    // Keys and values.
    ("name = 'plain'", "name = 'plain'\nprompt-prefix = 'x'", "e:7:1: unknown key 'prompt-prefix' in [[arms]]", "did you mean 'prompt_prefix'?"),
    ("command = ", "isolation = 'requird'\ncommand = ", "e:4:13: isolation in [agent] cannot be 'requird'", "did you mean 'required'?"),
    ("command = ", "limits = { time = 0 }\ncommand = ", "e:4:19: time in [agent.limits] must be a time above 0", ""),
    ("command = ", "limits = { time = '3 fortnights' }\ncommand = ", "e:4:19: time in [agent.limits] must be a time above 0", ""),
    ("command = ", "limits = { cost_usd = -1 }\ncommand = ", "e:4:23: cost_usd in [agent.limits] must be a number of US dollars", ""),
    ("command = ", "limits = { attempts = 0 }\ncommand = ", "e:4:23: attempts in [agent.limits] must be a whole number from 1", ""),
    ("command = ", "limits = { output = '3 MB more' }\ncommand = ", "output in [agent.limits] must be a number of bytes", ""),
    ("command = ", "rate_limit_wait = ['2m', '1m']\ncommand = ", "e:4:19: rate_limit_wait in [agent] must be two times", ""),
    ("command = ", "on_fail = 'repair'\nlimits.attempts = 1\ncommand = ", "e:4:11: on_fail in [agent] is 'repair', and there is 1 attempt", "limits.attempts must be 2 or more"),
    ("command = ", "repair_shows = ['test']\ncommand = ", "repair_shows in [agent] cannot be 'test'", "did you mean 'tests'?"),
    ("command = ", "visible = ['x']\ncommand = ", "visible in [agent] wants whole paths", "they begin with / or ~/"),
    ("command = ", "pass_environment = ['A=1']\ncommand = ", "'A=1' is no name of a variable", ""),
    ("command = ", "environment.EVOLVE_X = '1'\ncommand = ", "EVOLVE_X is the run's own", ""),
    ("command = ", "rate_limited.patterns = '('\ncommand = ", "e:4:25: no regular expression: '(': unclosed group", ""),
    ("command = ", "rate_limited.exit_codes = [0]\ncommand = ", "must be a list of exit codes, 1 to 255", ""),
    ("name = 'exp'", "name = 'exp'\nchains = 0", "e:3:10: chains in [experiment] must be a whole number from 1", ""),
    ("name = 'exp'", "name = 'exp'\nseed = -1", "e:3:8: seed in [experiment] must be a whole number, not negative", ""),
    // Commands.
    ("['sh', '-c', 'true']", "[]", "e:4:11: command in [agent] must be a line for sh, or a list", ""),
    ("'true']", "'{promt}']", "e:4:24: unknown placeholder {promt}", "did you mean 'prompt'?"),
    ("'true']", "'{model}']", "e:4:24: {model} stands for nothing: [agent] has no model", ""),
    ("'true']", "'{max_turns}']", "{max_turns} stands for nothing: [agent] has no limits.turns", ""),
    ("['sh', '-c', 'true']", "'x {prompt_file}'", "e:4:11: {prompt_file} is not filled in in a line for sh", "write \"$EVOLVE_PROMPT_FILE\" there, or a list of words"),
    ("['sh', '-c', 'true']", "'x {modle}'", "{modle} is not filled in in a line for sh", "write \"$EVOLVE_MODEL\" there, or a list of words"),
    ("[[arms]]", "[gate.visible]\ncommand = ['x', '{prompt}']\n[[arms]]", "unknown placeholder {prompt}", "placeholders here: cache, checkpoint, checkpoint_id, checkpoints, port, suite, tmp"),
    // Texts and paths.
    ("prompt_text = 'do it'", "prompt = '../x.md'", "e:9:10: '../x.md' leaves the plan's folder", ""),
    ("prompt_text = 'do it'", "prompt = '/x.md'", "e:9:10: '/x.md' leaves the plan's folder", ""),
    ("prompt_text = 'do it'", "prompt_text = 'x'\nprompt = 'x.md'", "[[checkpoints]] has both prompt and prompt_text", ""),
    ("prompt_text = 'do it'", "prompt_text = ' '", "prompt_text in [[checkpoints]] must be a string that is not empty", ""),
    ("prompt_text = 'do it'\n", "", "e:7:1: [[checkpoints]] has no prompt", "prompt names a file, prompt_text has the words"),
    ("name = 'plain'", "name = 'plain'\nfiles = [{ from = 'a', to = '../b' }]", "'../b' leaves the tree", ""),
    ("name = 'plain'", "name = 'plain'\nfiles = [{ from = 'a', to = 'x/.git/hooks' }]", "is no path that a tree can have", ""),
    ("name = 'plain'", "name = 'plain'\nfiles = [{ to = 'x' }]", "files in [[arms]] has no `from`", ""),
    ("name = 'plain'", "name = 'plain'\nspecs = [{ file = 'a' }]", "[[arms.specs]] has no kind", ""),
    // What names something else.
    ("prompt_text = 'do it'", "prompt_text = 'x'\nrequires = ['one']", "e:10:13: requires names no checkpoint before this one: 'one'", "no checkpoint stands before this one"),
    ("[[arms]]", "[probe]\nprompt_text = 'x'\n[[probe.rules]]\nid = 'r'\nkeywords = 'k'\ncheckpoint = 'on'\n[[arms]]", "e:10:14: there is no checkpoint 'on'", "did you mean 'one'?"),
    ("[[arms]]", "[probe]\nprompt_text = 'x'\n[[probe.rules]]\nid = 'r'\n[[arms]]", "[[probe.rules]] has no keywords", ""),
    ("[[arms]]", "[gate]\nchecks = ['visible']\n[[arms]]", "e:6:10: a check of reports, and no [gate.visible]", ""),
    ("[[arms]]", "[gate]\nchecks = ['answer']\n[[arms]]", "e:6:10: a check of answers, and no checkpoint has an `answer`", ""),
    ("[[arms]]", "[gate]\nchecks = ['declared']\n[[arms]]", "a check of declared tests, and no checkpoint", ""),
    ("[[arms]]", "[gate]\nchecks = ['anser']\n[[arms]]", "e:6:11: unknown check 'anser'", "did you mean 'answer'?"),
    ("[[arms]]", "[gate.visible]\ncommand = 'x'\ntests = 'y'\n[[arms]]", "e:7:1: unknown key 'tests' in [gate.visible]", ""),
    ("[[arms]]", "[gate.visible]\ncommand = 'x'\nreports = 'a['\n[[arms]]", "e:7:11: reports: no glob: 'a['", ""),
    ("[[arms]]", "[[setup]]\ncommand = 'x'\nservice = true\ngenerates = true\n[[arms]]", "[[setup]] is a service and generates files", ""),
    ("[[arms]]", "[refactor]\nprompt_text = 'x'\n[[arms]]", "e:5:1: [refactor] has no max", ""),
    ("[[arms]]", "[refactor]\nprompt_text = '{measurs}'\nmax = { net_cc = 1 }\n[[arms]]", "e:6:15: unknown placeholder {measurs}", "did you mean 'measures'?"),
    ("[[arms]]", "[review]\nprompt_text = 'x'\ncycles = 2\n[[arms]]", "e:7:10: cycles in [review] is above 1", "apply is asked of the turn that gets it"),
    ("[[arms]]", "[[hypothesis.primary]]\nmeasure = 'x'\ndirection = 'lowr'\n[[arms]]", "e:7:13: direction in [[hypothesis.primary]] cannot be 'lowr'", "did you mean 'lower'?"),
    ("[[arms]]", "[controls]\npined = []\n[[arms]]", "e:6:1: unknown key 'pined' in [controls]", "did you mean 'pinned'?"),
];

#[test]
fn each_thing_that_is_wrong_is_named_with_its_place_and_what_to_do() {
    let mut missed = Vec::new();
    for (here, instead, said, hint) in CASES {
        assert!(LEAST.contains(here), "{here}");
        let plan = LEAST.replacen(here, instead, 1);
        let error = read_alone(&plan, "e").expect_err(&plan);
        assert_eq!(error.kind(), crate::Kind::Usage, "{plan}");
        let got = error.to_string();
        let said_it = got.lines().any(|line| line.contains(said));
        let hinted = error.hint() == Some(*hint) || got.contains(&format!("({hint})"));
        if !said_it || !(hint.is_empty() || hinted) {
            missed.push(format!(
                "wanted: {said}\n  got: {got}\n  hint: {:?}",
                error.hint()
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
