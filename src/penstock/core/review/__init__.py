"""What reviewers are shown of a change besides its lines: where it is, what it is, what is risky.

`heads` names the function of a hunk, `moves` finds blocks that moved, `renames` files that did,
`interdiff` what changed since an earlier version, `content_kind` what may be collapsed,
`image_size` how large a picture is; `risks` are the flags.
Enter by `assess.assess` for the flags of a change, or by the module that is named like the need.
Imported by: `gate`, and the doors and commands that show changes.
Always true: nothing here decides; the work is bounded however large a change is.
"""
