# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_git_evolve_global_optspecs
    string join \n C= threads= stats strict no-pager h/help V/version
end

function __fish_git_evolve_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_git_evolve_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_git_evolve_using_subcommand
    set -l cmd (__fish_git_evolve_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c git-evolve -n "__fish_git_evolve_needs_command" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_needs_command" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_needs_command" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -s V -l version -d 'Print version'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "log" -d 'Show what the last changes did, one row a change'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "slope" -d 'Show whether measures rise or fall along the history'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "report" -d 'Write a page about an experiment: what was run, what came of it, and how sure that is'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "hot" -d 'Show which functions grew most over a range or a chain, or one function over time'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "compare" -d 'Hold the arms of experiments against each other'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "show" -d 'Explain one change, function by function'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "check" -d 'Hold changes against thresholds'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "functions" -d 'List the functions of a tree and their complexity'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "files" -d 'List the code files of a tree, their language and class'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "lines" -d 'Show which commit wrote each line of a file, as the measures count it'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "tests" -d 'Show which tests a change broke, repaired, lost or brought'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "matrix" -d 'Print the chains of a plan, for many machines to run'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "metrics" -d 'List the measures'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "explain" -d 'Explain one measure: definition, source, what makes it high, what it does not see'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "init" -d 'Write a commented plan (evolve.toml) for this repository'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "plan" -d 'Show what a plan would run, and what of it is done'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "run" -d 'Run a plan: agents through every checkpoint of every chain'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "begin" -d 'Begin a checkpoint: make the chain where there is none, and check out its branch'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "record" -d 'Record the pending checkpoint: all work since `begin` becomes its one agent commit'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "attach" -d 'Add captures to a checkpoint that is recorded already'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "gate" -d 'Gate commits of chains again, by the plan'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "reset" -d 'Put back what the experiment owns, in a reset commit behind the agent commit'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "records" -d 'Print records as they stand in git notes, joined by attempt'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "inspect" -d 'Say what a file is, and print what is read out of it; nothing is recorded'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "controls" -d 'Show what the controls of a run did: what was put back, tampered with, contained'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "status" -d 'Show the chains, what was captured of them, and what is missing or unpublished'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "verify" -d 'Check that every record is here, whole, and where it belongs'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "push" -d 'Publish the records and chains of this repository'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "fetch" -d 'Bring the records and chains of another repository'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "clone" -d 'Clone a repository together with its records'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "hooks" -d 'Have git call git-evolve after commits and rewrites and before pushes'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "hook" -d 'Run by git\'s hooks'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "doctor" -d 'Find what would lose, hide or block records'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "reconcile" -d 'Find what rewriting left behind, and put it back'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "import" -d 'Import runs of another harness as chains'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "demo" -d 'Run a small experiment in a new repository and show what can be asked of it'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "replay-agent" -d 'Replay recorded changes where an agent would work; for demonstrations and tests, no agent'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c git-evolve -n "__fish_git_evolve_needs_command" -f -a "help" -d 'Print the manual of the program or of a subcommand'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l last -d 'The last N changes' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l since -d 'Changes committed at DATE or later: RFC 3339, a date (UTC), or as `2 weeks ago`' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l chain -d 'Only this chain: its path, as the list of chains shows it' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l arm -d 'Only the chains of this arm' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -s m -l metrics -d 'Measures to show: ids, families or levels separated by commas, `primary`, or `all` (`git evolve metrics` lists them)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l last -d 'The last N changes' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l since -d 'Changes committed at DATE or later: RFC 3339, a date (UTC), or as `2 weeks ago`' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l by -d 'Compare arms, authors (by the tree\'s .mailmap), or the agents that commits name' -r -f -a "arm\t'The arms of experiments'
author\t'The authors of changes'
agent\t'The agents that changes name'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l explain -d 'Show which checkpoints drive each slope, or that of METRIC, and what changed there' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l top -d 'With --explain: the first N checkpoints of each slope (0: all)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l data -d 'Take the figures from a CSV file (`-`: standard input) with the columns of `log --format csv`, or arm,chain,checkpoint,metric,value' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -s m -l metrics -d 'Measures to show: ids, families or levels separated by commas, `primary`, or `all` (`git evolve metrics` lists them)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l each -d 'Measure every commit that is no merge, and not the first-parent line alone'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l all-changes -d 'Use changes that touch no production code, too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand slope" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -s o -l output -d 'Write to FILE; else to standard output, where that is no terminal' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l format -d 'A page, a comment, or a document' -r -f -a "html\t'One page'
md\t'Markdown that fits a comment'
json\t'One document'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l data -d 'Also write the data behind every figure and table as CSV files into DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l figures -d 'Also write every figure as an SVG file of its own into DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l commit-url -d 'Link commits to this web address, in which `{commit}` stands for the whole id' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l baseline -d 'Compare the others with this arm (else: the plan\'s baseline, the first named, the first by name)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l by -d 'Compare the levels of a factor of the plan, the arms of each level taken together; `task`: the arms task by task, beside the comparison over all tasks' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l within -d 'Compare within each task, or within each level of a factor, then over all of them, labels permuted within each' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l attempts -d 'Which checkpoints figures are of' -r -f -a "all\t'All that were reached'
passing\t'Those that passed'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l gamma -d 'How much more a later checkpoint weighs in an EvoScore than the one before it' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l k -d 'Of how many tries pass@k and pass^k speak (else: every number up to the fewest chains of a task)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -s m -l metrics -d 'Measures to show: ids, families or levels separated by commas, `primary`, or `all` (`git evolve metrics` lists them)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l pairwise -d 'Compare every pair of arms, and not each with the baseline alone'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l strict-provenance -d 'Exit with 1 where the arms differ in how they were made and the plan does not declare it'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l per-checkpoint -d 'How often chains pass at each checkpoint, too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l last -d 'The last N changes' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l since -d 'Changes committed at DATE or later: RFC 3339, a date (UTC), or as `2 weeks ago`' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l by -d 'What decides who comes first' -r -f -a "cc\t'Cyclomatic complexity gained'
cognitive\t'Cognitive complexity gained'
sloc\t'Lines of code gained'
touched\t'Changes that touched it'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l top -d 'Show the first N functions (of several chains: of each; 0: all that grew)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l baseline -d 'Compare the others with this arm (else: the plan\'s baseline, the first named, the first by name)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l by -d 'Compare the levels of a factor of the plan, the arms of each level taken together; `task`: the arms task by task, beside the comparison over all tasks' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l within -d 'Compare within each task, or within each level of a factor, then over all of them, labels permuted within each' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l attempts -d 'Which checkpoints figures are of' -r -f -a "all\t'All that were reached'
passing\t'Those that passed'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l gamma -d 'How much more a later checkpoint weighs in an EvoScore than the one before it' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l k -d 'Of how many tries pass@k and pass^k speak (else: every number up to the fewest chains of a task)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -s m -l metrics -d 'Measures to show: ids, families or levels separated by commas, `primary`, or `all` (`git evolve metrics` lists them)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l pairwise -d 'Compare every pair of arms, and not each with the baseline alone'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l strict-provenance -d 'Exit with 1 where the arms differ in how they were made and the plan does not declare it'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l per-checkpoint -d 'How often chains pass at each checkpoint, too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -s m -l metrics -d 'Measures to show: ids, families or levels separated by commas, `primary`, or `all` (`git evolve metrics` lists them)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l diff -d 'Show the changed lines of each function'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l staged -d 'The index against HEAD, as if it were committed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l worktree -d 'The work tree against HEAD, untracked files that are not ignored included'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l range -d 'The range to check, as `A..B`' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l chain -d 'All checkpoints of this chain: its path, as the list of chains shows it' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l max -d 'The greatest value that MEASURE may have (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l min -d 'The least value that MEASURE may have (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l at -d 'Measure each checkpoint\'s agent commit, or what its first turn left, before refactor and review turns (of chains; where there was one turn, that is the agent commit)' -r -f -a "commit\t'The agent commit'
implement\t'What the first turn left'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l staged -d 'The index against HEAD, as if it were committed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l worktree -d 'The work tree against HEAD, untracked files that are not ignored included'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l each -d 'Hold each change against the thresholds, not the range as one'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l no-merges -d 'Leave merges out: what they bring in is somebody else\'s'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l allow-unknown -d 'Let an unknown figure pass, and say so'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l informational -d 'Exit with 0 whatever is found, and say so'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand functions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -s z -d 'Print the paths alone, each ended by a NUL'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand files" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l source -d 'Production code is what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l tests -d 'Tests are what matches GLOB (repeatable; instead of the built-in rules)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l generated -d 'Generated code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l vendored -d 'Vendored code is also what matches GLOB (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l profile -d 'Count by these rules' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l config -d 'Read settings from the `measure` table of FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l entry -d 'The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l functions -d 'The fn_* measures take in files that match GLOB (repeatable; else all production)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l config-globs -d 'loc_yaml and loc_config count files that match GLOB (repeatable; else every one)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l language -d 'Show complexity figures of LANG where there are several languages' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l lookback -d 'A change\'s earlier changes are the N before it (at least 2; else 200)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l base -d 'A change\'s earlier changes are those since REV, on the first-parent line' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l cc-threshold -d 'Erosion counts functions with a cyclomatic complexity above N (else 10)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l cc-extreme-threshold -d 'Extreme erosion counts those above N (else 30)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l cognitive-threshold -d 'Hotspots are functions with a cognitive complexity above N (else 15)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l prices -d 'Price tokens by FILE, a table in litellm\'s format (`prices` in [measure] names one in the tree)' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l no-ignore-revs -d 'Take commits named in .git-blame-ignore-revs for writers of lines like any other'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand lines" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l against -d 'The commit to compare with; else that of the last valid gate before it' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l suite -d 'Whose tests: the experimenter\'s, or those the agent left; else the experimenter\'s where they were recorded' -r -f -a "acceptance\t'The experimenter\'s'
visible\t'As the agent left them'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l config -d 'Read test patterns and checkpoints from FILE, as `evolve.toml` has them' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l all -d 'List the tests that are as before, too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand tests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l plan -d 'The plan; paths in it begin in its folder [default: evolve.toml at the top of the work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l arm -d 'Only chains of this arm (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l task -d 'Only chains of this task (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l format -d 'In which form' -r -f -a "json\t'One line, the matrix of a CI job'
list\t'A path a line'
shell\t'A command a line'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l pending -d 'Only chains that are not finished, as far as this repository knows (`git evolve fetch` brings what others did)'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand matrix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand metrics" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l from -d 'Take the change requests of FILE, a list as PetClinic\'s checkpoints.yaml' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -s o -l output -d 'Write the plan here, and prompts/ beside it [default: evolve.toml at the top]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l force -d 'Overwrite the plan and prompts that are there'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l plan -d 'The plan; paths in it begin in its folder [default: evolve.toml at the top of the work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l arm -d 'Only chains of this arm (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l task -d 'Only chains of this task (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l chain -d 'Only these chains: a number within its arm and task, or a path (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l plan -d 'The plan; paths in it begin in its folder [default: evolve.toml at the top of the work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l arm -d 'Only chains of this arm (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l task -d 'Only chains of this task (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l chain -d 'Only this chain: EXPERIMENT/ARM[/TASK]/N, or N alone for that one of every arm and task (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l until -d 'Up to checkpoint K' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -s j -l jobs -d 'Chains side by side' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l scratch -d 'Where sessions work, outside the repository [default: `evolve.scratch` in git\'s configuration, else the user\'s cache]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l claim -d 'Claim each chain at REMOTE before it is taken up, so that no other machine runs it at the same time; leave alone what others claimed [default: `evolve.claimRemote` in git\'s configuration, else no claims are made]' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l retry-invalid -d 'Gate again what has no valid gate'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -s n -l dry-run -d 'Say what would be run, and change nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l take-over -d 'Take a claim of another machine over where its time is over'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l no-probe -d 'Ask no agent for the rules'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l no-noop -d 'Hold no sessions for nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -s y -l yes -d 'Begin without asking'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l again -d 'Begin another chain of this path, whose commits so far are kept'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l abandon -d 'Drop the pending checkpoint; commits, branches and files stay'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand begin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l include -d 'Take new files that match, whatever they look like; an ignored file by its own path' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l exclude -d 'Leave out new files that match, also those the agent committed' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l config -d 'The configuration (TOML) this is scored under [default: evolve.toml of the chain\'s base]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -s m -l message -d 'The commit\'s title, behind checkpoint number and id' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l envelope -d 'What the agent\'s command reported, in any format that `git evolve inspect` knows; FILEs of one session id are one session' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l transcript -d 'The agent\'s own log of the session, or a folder of them, with those of its sub-agents; reduced to ids, times, usage, tools, paths and outcomes' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l purpose -d 'What the session was for [default: implement]' -r -f -a "implement\t'The change that was asked for'
refactor\t'Clearing up that a gate asked for'
review\t'Looking over the work'
probe\t'Questions about the rules'
noop\t'Nothing: what a session costs by itself'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l outcome -d 'How the session ended [default: as its files say]; without a file: a session that left none' -r -f -a "success\t''
error\t''
max_turns\t''
budget_exceeded\t''
rate_limited\t''
overloaded\t''
context_limit\t''
interrupted\t''"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l wall-ms -d 'Milliseconds of your own clock around the agent\'s process' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l waited-ms -d 'Milliseconds waited before this attempt' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l agent-exit-code -d 'The exit status of the agent\'s process' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l agent-version -d 'The agent\'s version, as `--version` of it says' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l model -d 'The model that was asked for' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l resumes -d 'The id of the session that this one goes on with' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l tests -d 'Test reports of one run: files, globs, folders' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l suite -d 'Whose tests ran, also for --coverage [default: visible]' -r -f -a "acceptance\t'The experimenter\'s'
visible\t'As the agent left them'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l command -d 'The command that ran the tests, as it would be typed in a shell' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l exit-code -d 'The exit status of that command' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l started -d 'When it began: RFC 3339, or seconds since 1970. Reports that are older are left out' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l console -d 'What it printed: the last 64 KiB are kept, and tell of crashes that no report does' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l selected-checkpoints -d 'Only tests of these checkpoints were asked for, as `1-3,5`; others are not lost' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l left-out -d 'Tests whose id matches were left out of the run; they are not lost (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l coverage -d 'A coverage report' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l build-root -d 'Where the tree was checked out when reports were written [default: this work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -s n -l dry-run -d 'Say what would be recorded, and change nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l keep-transcript -d 'Keep transcripts verbatim, too: what was said, arguments, results'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l allow-missing -d 'A GLOB that matches nothing is no error: a run without reports is recorded, as invalid (no-reports)'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l for-checkpoint -d 'The captures are of checkpoint K, which started from COMMIT' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l attempt -d 'The attempt they belong to [default: the agent commit\'s own; of a failed one a new one]' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l envelope -d 'What the agent\'s command reported, in any format that `git evolve inspect` knows; FILEs of one session id are one session' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l transcript -d 'The agent\'s own log of the session, or a folder of them, with those of its sub-agents; reduced to ids, times, usage, tools, paths and outcomes' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l purpose -d 'What the session was for [default: implement]' -r -f -a "implement\t'The change that was asked for'
refactor\t'Clearing up that a gate asked for'
review\t'Looking over the work'
probe\t'Questions about the rules'
noop\t'Nothing: what a session costs by itself'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l outcome -d 'How the session ended [default: as its files say]; without a file: a session that left none' -r -f -a "success\t''
error\t''
max_turns\t''
budget_exceeded\t''
rate_limited\t''
overloaded\t''
context_limit\t''
interrupted\t''"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l wall-ms -d 'Milliseconds of your own clock around the agent\'s process' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l waited-ms -d 'Milliseconds waited before this attempt' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l agent-exit-code -d 'The exit status of the agent\'s process' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l agent-version -d 'The agent\'s version, as `--version` of it says' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l model -d 'The model that was asked for' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l resumes -d 'The id of the session that this one goes on with' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l tests -d 'Test reports of one run: files, globs, folders' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l suite -d 'Whose tests ran, also for --coverage [default: visible]' -r -f -a "acceptance\t'The experimenter\'s'
visible\t'As the agent left them'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l command -d 'The command that ran the tests, as it would be typed in a shell' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l exit-code -d 'The exit status of that command' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l started -d 'When it began: RFC 3339, or seconds since 1970. Reports that are older are left out' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l console -d 'What it printed: the last 64 KiB are kept, and tell of crashes that no report does' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l selected-checkpoints -d 'Only tests of these checkpoints were asked for, as `1-3,5`; others are not lost' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l left-out -d 'Tests whose id matches were left out of the run; they are not lost (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l coverage -d 'A coverage report' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l build-root -d 'Where the tree was checked out when reports were written [default: this work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -s n -l dry-run -d 'Say what would be added, and change nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l keep-transcript -d 'Keep transcripts verbatim, too: what was said, arguments, results'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l allow-missing -d 'A GLOB that matches nothing is no error: a run without reports is recorded, as invalid (no-reports)'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand attach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l plan -d 'The plan; paths in it begin in its folder [default: evolve.toml at the top of the work tree]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l arm -d 'Only chains of this arm' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l suite -d 'Only this suite (repeatable)' -r -f -a "acceptance\t'The experimenter\'s'
visible\t'As the agent left them'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -s j -l jobs -d 'Gates at a time' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l scratch -d 'Where exports are made [default: `evolve.scratch` in git\'s configuration, else the user\'s cache]' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l base -d 'The chains\' bases instead of their checkpoints'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l reference -d 'The references: their patches, one on the other, become chains of the arm `reference`, which are gated like any'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -s n -l dry-run -d 'Say what would run, and run nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand gate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -l from -d 'Take the paths from this commit or tree instead' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l kind -d 'Records of these kinds alone' -r -f -a "checkpoint\t'What happened at commits'
envelope\t'Sessions'
tests\t'Gate runs'
coverage\t'Coverage'
raw\t'Payloads'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l payloads -d 'With the payloads, as they were kept'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand records" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l started -d 'When the tests began: RFC 3339, or seconds since 1970; older reports are stale' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l exit-code -d 'The exit status of the command that ran the tests' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l console -d 'What that command printed' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l tree -d 'The files of the commit: paths in lines or ended by NUL, output of `git ls-tree -r`, a JSON array, a JSON object with `repo_tree`, `build_root` and `go_mod`, or a folder' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l previous -d 'The last valid run before: a report, a list of ids that passed, or JSON of inspect' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l prices -d 'Price sessions by this table, in the format of litellm' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l build-root -d 'Where the tree was checked out when reports were written' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l model -d 'The model that was asked for, for formats that name none' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l together -d 'Read all FILEs as one gate run, or one session'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l events -d 'Print the reduced transcript of a session, too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l arm -d 'Only the chains of this arm' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l explain -d 'Explain every figure, those that are 0 too'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand controls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l chain -d 'Show the checkpoints of this chain: its path, or as it is shown' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l strict-controls -d 'What changed while a chain ran (plan, prompts, tests, agent, programs) is a warning'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -l yes -d 'Do not ask before the first push to a remote'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -s n -l dry-run -d 'Say what would go out, and send nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand push" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand fetch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand clone" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -f -a "install" -d 'Install them; twice changes nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -f -a "uninstall" -d 'Take them away and put back what was there before'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status" -f -a "status" -d 'Show whether they are installed, and whether they run'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hooks; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand hook" -s h -l help -d 'Print help'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l pick -d 'Of several commits that OLD could be now it is NEW (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l apply -d 'Do what is proposed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand reconcile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l experiment -d 'The experiment their chains belong to' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l arm -d 'Their arm [default: by each run\'s configuration: model, prompt, thinking, skill]' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l task -d 'Only this problem (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l chain -d 'The number of the chains [default: the run\'s own where it is here, else the next free one]' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l utc-offset -d 'Times without a zone are those of a clock this far ahead of UTC [default: +00:00]' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l format -d 'Print in this format' -r -f -a "table\t'For people'
csv\t'RFC 4180'
json\t'One document'
jsonl\t'One object a line'
md\t'A Markdown table'"
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -s n -l dry-run -d 'Say what would be imported, and change nothing'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l patches -d 'Where the recordings are' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l demo -d 'The recordings of this arm of the demonstration, which the program holds' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l variants -d 'Chain n is the nth of these variants: one letter for all checkpoints, or one for each' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l seed -d 'Draw the envelope\'s figures from N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l commits -d 'Commit the first N changed files, each by itself, and leave the rest uncommitted' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l do -d 'Do this beside, everywhere or @CHECKPOINT or @CHECKPOINT.TRY: fail, half, nothing, hang, rate-limit[=SECONDS], no-credentials, over-turns, wait=MILLISECONDS, needs=TRIES (repeatable)' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l launches -d 'Add a line to FILE for every launch' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l prompt-file -d 'Read the prompt from FILE' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand replay-agent" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -s C -d 'Run as if started in DIR' -r -F
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -l threads -d 'Use N threads; the output is the same whatever N' -r
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -l stats -d 'Say on standard error how much was read and parsed'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -l strict -d 'Exit with 3 when any figure is unknown'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -l no-pager -d 'Do not page long output'
complete -c git-evolve -n "__fish_git_evolve_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
