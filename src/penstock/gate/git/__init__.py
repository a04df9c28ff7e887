"""What the git commands of a call bring and lose, found on the real repository.

The core tells deeds (`core.shell.git_deed`). Each meets its repository here: `arrivals` says which
files get other content, `losses` what is then found nowhere else, `keep` what is put away, and
`push` what changes at the other end. `deed` is what they all ask and answer with.
Enter by `effects.GitEffects`.
Imported by: `gate.judge`.
Always true: a repository is only looked at; what git would refuse is no loss, and what git cannot
tell is unclear.
"""
