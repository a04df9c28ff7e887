"""Print an answer: the document on stdout, sentences on stderr.

Always true: what is printed is one whole JSON document, and nothing in it can steer a terminal.
"""

from __future__ import annotations

import json

from penstock.doors.reviewer.answers import Answer
from penstock.doors.reviewer.printing import put, say


def tell(answer: Answer) -> int:
    """Print an answer and return its exit code, which tells of the edit also where none is read."""
    for sentence in answer.talk:
        say(sentence)
    text = json.dumps(answer.document, ensure_ascii=False, indent=2)
    # A lone surrogate cannot be printed as UTF-8; JSON has an escape for it.
    put((text.encode("utf-8", "backslashreplace") + b"\n").replace(b"\x7f", b"\\u007f"))
    return answer.code
