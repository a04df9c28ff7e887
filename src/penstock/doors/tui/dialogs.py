"""The small windows over the screen: a question, the passphrase, a choice, an error, the help.

Always true: escape leaves any of them and nothing was done; no text in them is markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, SelectionList, Static, TextArea
from textual.widgets.option_list import Option

from penstock.core.errors import InputError
from penstock.core.proposals.line_comment import LONGEST_TEXT, LineComment
from penstock.doors.tui.captions import drawn
from penstock.doors.tui.diff_pane import DiffView
from penstock.doors.tui.diff_rows import numbered

HELP = """\
tab            switch between queue and diff
j k   J K      down and up   next and previous line of the diff
n p            next and previous proposal
g G   ] [      top and end   next and previous hunk
z v i          diff only  side by side  ids and digests
d              removed lines only, or the whole diff
m M  W         more context  the whole file  hide white space
T              files of the change set, with what you have viewed
R              isolated runs and what they changed so far
w  left right  wrap or cut long lines; scroll cut ones
/  n N         filter the queue, or search the diff; next match
escape         close a preview or a filter

a              approve and write exactly what is shown
A              approve the whole change set
r              reject with a reason and your comments
c              comment on the line or hunk (sent when you reject)
u              undo the last write (as a new proposal)

space x  h     select hunks        keep only the selected ones
s              append, insert, extend, replace
e  f           edit the content    keep some files of a set
b  B           rebase on the file  rebase the whole change set
t              reset the expiry timer

Parts you have not viewed are listed before you approve.
s, h and b show a preview first; previews change nothing.
An edited change becomes a new version that needs approval.
q quits; undecided changes stay pending."""


READ_EVERY = 2.0  # seconds


class Dialog(ModalScreen[object]):
    """A window that escape closes without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave")]
    AUTO_FOCUS = "Input, OptionList, TextArea, VerticalScroll"
    answered = False

    def answer(self, value: object) -> None:
        """Close it with an answer; a second one comes too late."""
        if not self.answered:
            self.answered = True
            self.dismiss(value)

    def action_leave(self) -> None:
        """Close it; nothing was answered."""
        self.answer(None)


class MessageDialog(Dialog):
    """Words to read: an error, or the help."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,q,question_mark,space", "leave", "close")
    ]

    def __init__(self, heading: str, text: str) -> None:
        super().__init__()
        self.heading, self.text = heading, text

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with VerticalScroll(classes="window"):
            yield Label(drawn(self.heading, style="bold"), classes="heading")
            yield Static(drawn(self.text))
            yield Label(drawn("enter closes", style="dim"))


class RunsDialog(MessageDialog):
    """Isolated runs and the tree of what each changed, read again while it is open."""

    def __init__(self, lines: Callable[[], str]) -> None:
        super().__init__("isolated runs", "")
        self.lines = lines

    def on_mount(self) -> None:
        """Read at once, and then every few seconds."""
        self._read_again()
        self.set_interval(READ_EVERY, self._read_again)

    @work(thread=True, exclusive=True)
    def _read_again(self) -> None:
        text = self.lines()
        self.app.call_from_thread(self._show, text)

    def _show(self, text: str) -> None:
        if self.is_attached:
            self.query_one(Static).update(drawn(text))


class UnseenDialog(Dialog):
    """What was never on the screen, named; only `y` approves without it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("enter,n", "answer(False)", show=False, priority=True),
    ]

    def __init__(self, heading: str, parts: Sequence[str]) -> None:
        super().__init__()
        self.heading, self.parts = heading, parts

    def compose(self) -> ComposeResult:
        """Lay it out; the question stands above the list, which may be long."""
        with VerticalScroll(classes="window"):
            yield Label(drawn(self.heading, style="bold"), classes="heading")
            yield Label(drawn("enter shows it   y approves it unseen   escape cancels"))
            yield Static(drawn("\n".join(f"not viewed: {part}" for part in self.parts)))

    def action_answer(self, unseen: bool) -> None:
        """Answer whether these parts are approved without being shown."""
        self.answer(unseen)


class SetResultDialog(MessageDialog):
    """What became of each file of a set; `u` undoes all that was written."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("u", "undo", show=False)]

    def action_undo(self) -> None:
        """Have the whole set undone."""
        self.answer(True)


class TextDialog(Dialog):
    """One line of text."""

    def __init__(self, question: str, *, value: str = "") -> None:
        super().__init__()
        self.question, self.value = question, value

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="window"):
            yield Label(drawn(self.question))
            yield Input(value=self.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter is the answer."""
        self.answer(event.value)


class CommentDialog(Dialog):
    """A comment and the lines that it is about; what cannot be kept is said right here."""

    AUTO_FOCUS = "#text"

    def __init__(
        self, lines: str, *, kept: Mapping[str, str], read: Callable[[str, str], LineComment]
    ) -> None:
        super().__init__()
        self.lines, self.kept, self.read = lines, kept, read

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="window"):
            yield Label(drawn("lines: 14, 10-20, -7 for a removed line, #2 for a hunk"))
            yield Label(drawn("without lines it is about the whole file", style="dim"))
            yield Input(value=self.lines, id="lines", max_length=20)
            yield Label(drawn("comment (sent when you reject; empty removes it)"))
            yield Input(value=self.kept.get(self.lines, ""), id="text", max_length=LONGEST_TEXT)
            yield Label("", id="wrong")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter keeps it, if there are such lines."""
        lines, text = (self.query_one(name, Input).value for name in ("#lines", "#text"))
        try:
            self.answer(self.read(lines, text))
        except InputError as error:
            self.query_one("#wrong", Label).update(drawn(error.message, style="bold"))


class Secret(Struct, frozen=True, kw_only=True):
    """What was typed to prove who it is."""

    passphrase: str
    code: str | None


class AskSecret(Dialog):
    """The passphrase, and a one-time code where one is needed; neither is ever shown."""

    def __init__(self, *, code: bool) -> None:
        super().__init__()
        self.code = code

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="window"):
            yield Label(drawn("the approver's passphrase"))
            yield Input(password=True, id="passphrase")
            if self.code:
                yield Label(drawn("one-time code"))
                yield Input(password=True, id="code")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the code where there is one; then it is answered."""
        if self.code and event.input.id == "passphrase":
            self.query_one("#code", Input).focus()
            return
        code = self.query_one("#code", Input).value if self.code else None
        self.answer(Secret(passphrase=self.query_one("#passphrase", Input).value, code=code))


class Choose(Dialog):
    """One of several."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move('down')", show=False),
        Binding("k", "move('up')", show=False),
    ]

    def __init__(self, heading: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.heading, self.choices = heading, choices

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="window"):
            yield Label(drawn(self.heading, style="bold"))
            yield OptionList(*(Option(drawn(text), id=name) for name, text in self.choices))

    def action_move(self, way: str) -> None:
        """Move as in the other panes."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if way == "down" else options.action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter is the answer."""
        self.answer(event.option.id)


class TreeDialog(Choose):
    """The files of a set as a tree; enter goes to one, directories only stand there."""

    def compose(self) -> ComposeResult:
        """Lay it out."""
        rows = (
            Option(drawn(text), id=name or None, disabled=not name) for name, text in self.choices
        )
        with Vertical(classes="window"):
            yield Label(drawn(self.heading, style="bold"))
            yield Label(drawn("[x] viewed  [~] viewed in part  [ ] not viewed", style="dim"))
            yield OptionList(*rows)


class ChooseFiles(Dialog):
    """Some files of a set."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "done", "keep these", priority=True)]

    def __init__(self, files: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.files = files

    def compose(self) -> ComposeResult:
        """Lay it out; all are ticked at first."""
        with Vertical(classes="window"):
            yield Label(drawn("which files should be kept?", style="bold"))
            yield Label(
                drawn("space selects, enter keeps the selected files; the others are rejected")
            )
            yield SelectionList(*((drawn(text), path, True) for path, text in self.files))

    def action_done(self) -> None:
        """Answer with the ticked files."""
        self.answer(tuple(self.query_one(SelectionList).selected))


class InsertAt(Dialog):
    """Where to insert: the file with its line numbers, and a line to type or to move to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
    ]

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.file = numbered(content)

    def compose(self) -> ComposeResult:
        """Lay it out."""
        most = len(self.file)
        with Vertical(classes="window tall"):
            yield Label(drawn(f"insert after which line? 0 is the top, {most} the end"))
            yield DiffView()
            yield Label("", id="wrong")
            yield Input(value=str(most), max_length=12)

    def on_mount(self) -> None:
        """Show the file, the place to type in focus."""
        self.query_one(DiffView).show(self.file)
        self.query_one(Input).focus()

    def action_move(self, lines: int) -> None:
        """Move the place up or down."""
        place = min(max((self._line() or 0) + lines, 0), len(self.file))
        self.query_one(Input).value = str(place)

    def _line(self) -> int | None:
        text = self.query_one(Input).value.strip()
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None
        return number if number is not None and number <= len(self.file) else None

    def on_input_changed(self, event: Input.Changed) -> None:
        """Point at the line."""
        line = self._line()
        if line:
            self.query_one(DiffView).go_to(line - 1)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter is the answer, if it is a line of the file."""
        line = self._line()
        if line is None:
            said = drawn(f"this must be a line from 0 to {len(self.file)}", style="bold")
            self.query_one("#wrong", Label).update(said)
        else:
            self.answer(line)


class EditHere(Dialog):
    """The content in a field of its own, where there is no editor to start."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "done", "keep", priority=True),
        Binding("escape", "leave", "leave", priority=True),  # the field would keep it to itself
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical(classes="window tall"):
            yield Label(drawn("ctrl+s saves a new version, escape cancels"))
            yield TextArea(self.text, tab_behavior="indent")

    def action_done(self) -> None:
        """Answer with the text."""
        self.answer(self.query_one(TextArea).text)
