"""Comments on lines, as fields of the form that rejects: read, kept, and put on the page again.

A field is named `say:PROPOSAL:LINES`; a pair `line:PROPOSAL` and `text:PROPOSAL` is one whose lines
were typed. What becomes of a rejection is `answers`'.
Always true: a form is about the files of its page and no others; an empty field is no comment; what
is kept belongs to one reader, and is sent to nobody before it is in a form that rejects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.core.errors import InputError, RefusedError
from penstock.core.proposals import line_comment
from penstock.core.proposals.line_comment import MOST_COMMENTS, LineComment, placed
from penstock.core.proposals.model import OPEN, Proposal
from penstock.doors.web.diff.comment_boxes import CommentBoxes
from penstock.doors.web.middleware import FormFields
from penstock.doors.web.reader import PageReader, disagrees

SAY, LINE, TEXT = "say:", "line:", "text:"
BOXES = "talk"  # the proposals whose boxes a form has


def boxes_of(reader: PageReader, one: Proposal) -> CommentBoxes | None:
    """Return the boxes for a file's comments; None where nobody can reject it any more."""
    if one.state in OPEN:
        reader.take_over_comments(one)
    return CommentBoxes(of=one.id, kept=reader.comments(one.id)) if one.state in OPEN else None


def comments_in(form: FormFields, found: Sequence[Proposal]) -> dict[str, tuple[LineComment, ...]]:
    """Return the comments by proposal, of those whose boxes the form has. Raises InputError."""
    known = {one.id: one for one in found}
    made: dict[tuple[str, str], LineComment] = {}
    for of, lines, text in _said(form):
        if of not in known:
            raise disagrees("it has a comment on a file that is not in this change")
        one = placed(lines, _plain(text), path=known[of].path)
        before = made.get((of, one.lines))
        both = f"{before.text}\n{one.text}" if before else one.text
        made[of, one.lines] = placed(one.lines, both, path=one.path)
    if len(made) > MOST_COMMENTS:
        raise InputError(
            "bad-comment", f"{len(made)} comments are too many", because=f"at most {MOST_COMMENTS}"
        )
    boxes = known.keys() & {*form.all(BOXES), *(of for of, _ in made)}
    return {of: tuple(each for (to, _), each in made.items() if to == of) for of in boxes}


def to_send(
    reader: PageReader, form: FormFields, found: Sequence[Proposal]
) -> tuple[LineComment, ...]:
    """Return the comments of a form, with those that are kept on files that it does not show."""
    said = comments_in(form, found)
    by_file = (said.get(one.id, reader.comments(one.id)) for one in found)
    return tuple(comment for some in by_file for comment in some)


def _said(form: FormFields) -> Iterator[tuple[str, str, str]]:
    """Yield each comment that has a text: of which proposal, on which lines."""
    for name, values in form.fields.items():
        for value in filter(str.strip, values):
            if name.startswith(SAY):
                of, _, lines = name.removeprefix(SAY).partition(":")
                yield of, lines, value
            elif name.startswith(TEXT):
                of = name.removeprefix(TEXT)
                yield of, form.get(f"{LINE}{of}"), value


def _plain(text: str) -> str:
    """A browser sends the line ends of another system."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def keep(reader: PageReader, form: FormFields, found: Sequence[Proposal]) -> None:
    """Keep what a form says so far: it is all there is on the files that it shows."""
    for of, some in comments_in(form, found).items():
        reader.keep_comments(of, some)


def unsent(reader: PageReader, found: Sequence[Proposal]) -> RefusedError | None:
    """Return why something with comments is not approved; None where it has none."""
    for one in found:
        reader.take_over_comments(one)
    count = sum(len(reader.comments(one.id)) for one in found)
    return line_comment.unsent(count) if count else None
