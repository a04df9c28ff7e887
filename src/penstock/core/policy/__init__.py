"""Rules in force, and the decision they make about one request.

`model` has Rule, Layer and Policy; `decide` asks every matching rule; `rule_index` finds the few
that can match; `compile` and `fast_decide` are the same answer for the hook's fast path; `samples`
makes texts that a pattern meets.
Enter by `decide.decide`.
Imported by: `rules`, `learning`, `rule_edit`, `gate`, `app`.
Always true: the most restrictive verdict wins whatever the order, and a decision names its rules
and the policy revision.
"""
