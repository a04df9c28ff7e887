"""Rules files as a workspace has them: the policy in force, and commits judged by it.

`policy` reads the files, `nested_rules` those in directories, `policy_files` says whose they are;
`rule_ways` finds the rule that would change a decision; `commit_check` judges commits.
Enter by `policy.policy_of`.
Imported by: `penstock.app`, doors and commands.
Always true: what files mean is the core's, and only the gate writes one.
"""
