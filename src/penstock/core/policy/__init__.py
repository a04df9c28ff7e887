"""Rules in force, and the decision they make about one request.

`rule` has Rule, `model` Layer and Policy; `decide` asks every matching rule, and `sentences` are
its words; `rule_index` finds the few that can match; `compile` and `fast_decide` are the same
answer for the hook's fast path; `builtin` and `protected_names` are the names that are always
protected; `samples` makes texts that a pattern matches.
Enter by `decide.decide`.
Imported by: `rules`, `learning`, `rule_edit`, `gate`, `app` and the doors.
Always true: the most restrictive verdict wins whatever the order, and a decision names its rules
and the policy revision.
"""
