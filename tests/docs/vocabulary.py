"""The product's vocabulary as data: words that are not used, and what is said in their place.

The table is for whoever writes a message or a page; `test_vocabulary.py` scans for its left side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Word(NamedTuple):
    """A word or phrase that is not used (a regex, case-insensitive), and what to say."""

    pattern: str
    say: str


# One word means one thing everywhere: in messages, pages, help and docs.
WORDS = (
    Word(r"\b(?:the|one|its|this|our|Penstock's|signed|chained) record\b", "audit log"),
    Word(r"\bon (?:the )?record\b", "in the audit log"),
    Word(r"\bthe chain\b", "audit log, hash chain"),
    Word(r"\blines? of the (?:record|log)\b", "entry"),
    Word(r"\bwaits\b", "is pending, needs approval"),
    Word(r"\bwaiting (?:for (?:a|an|the|you)\b|writes?|changes?|proposals?)", "pending"),
    Word(
        r"\b(?:change|proposal|file|write|nothing|something)s? (?:is |are |still )?wait", "pending"
    ),
    Word(r"\bwhat (?:still )?wait", "pending changes"),
    Word(r"(?:\{\}|\b\d+) waiting\b", "3 pending"),
    Word(r"\bsen[dt]s?(?: \w+){0,3} back\b", "reject"),
    Word(r"\bgo(?:es|ne|ing)? back\b", "is rejected, is reverted"),
    Word(r"\bt(?:ak|ook)(?:e|es|en|ing)?(?: \w+){0,3} back\b", "undo, revert"),
    Word(r"\b(?:put|puts|putting)(?: \w+){0,3} back\b", "revert, restore"),
    Word(r"\bcarr(?:y|ies|ied)(?: \w+){0,3} over\b", "rebase"),
    Word(r"\bwhat is there\b|\bwhat was there\b", "the current file, the previous content"),
    Word(r"\badds? only what is new\b", "add missing functions and classes"),
    Word(r"\bstale\b", "out of date"),
    Word(r"\bresident\b", "background server"),
    Word(r"\bdoors?\b", "integration"),
    Word(r"(?<!--)\bunattended\b|\bnobody can be asked\b", "non-interactive session"),
    Word(r"\bunclear\b|\bcannot tell what it writes\b", "can't predict which files it changes"),
    Word(r"\bcannot be told\b|\bcan't be told\b", "can't be predicted, is unknown"),
    Word(r"\bslipped\b", "changed despite the rules"),
    Word(r"\btold\b", "notified, shown, given"),
    Word(r"\btells\b", "says, shows, reports"),
    Word(r"\bsp(?:eak|eaks|oke|oken|eaking) (?:of|about|at|up)\b", "matches, is about"),
    Word(r"\brules? (?:speak|spoke|speaks)\b", "matches"),
    Word(r"\bsteer(?:s|ed|ing)?\b", "configures"),
)

# Sentences that were rewritten; their wording does not come back.
SENTENCES = (
    Word(r"\blines?(?: \S+){0,3} (?:would|will) be lost\b", "255 of 270 lines removed"),
    Word(r"\blines lost\b|\bwould be new\b", "1 line changed (−1 +1 of 491)"),
    Word(r"\b(?:its )?whole time again\b", "reset the expiry timer"),
    Word(r"\bat most so many\b", "show at most N entries"),
    Word(r"\bone that runs already\b", "restart running sessions to load the hook"),
    Word(r"\blets? pass\b", "one test write blocked, one allowed"),
    Word(r"\bevery step adds a line\b", "every write is logged in a hash chain"),
    Word(r"\bhalf (?:answered )?within\b", "median response time"),
    Word(r"\bto do:", "Try:"),
    Word(r"\bfor the agent to read\b", "Reason (sent to the agent)"),
    Word(r"\bexactly these bytes\b", "SHA-256 ..."),
    Word(r"\bone answer\b", "change set"),
    Word(r"\ball together, or not at all\b", "applied atomically"),
    Word(r"\bfor want of room\b", "diff too large to show here"),
    Word(r"\bclosed lately\b|\blately\b", "recently"),
    Word(r"\bthe newest\b", "the latest"),
    Word(r"\bstrictest verdict wins, whatever\b", "the most restrictive rule wins"),
    Word(r"\bno hit\b", "never matched"),
    Word(r"\bnot taken:", "14 of 15 hunks kept; hunk 3 (line 86) rejected"),
    Word(r"\bnobody (?:would be|was) told\b", "no notification targets configured"),
)

# How things are written, whatever the words are.
FORMS = (
    Word(r"\w\(s\)", "a real plural: `counted(n, 'file')`"),
    Word(r"\b1 (?:files|lines|hunks|rules|warnings|entries|changes|bytes)\b", "1 file"),
    Word(
        r"\bPenstock (?:init|run|undo|apply|approve|reject|review|open|show|rebase|audit|doctor"
        r"|status|why|approver|proposals|serve|watch|uninstall)\b(?! (?:page|server|key))",
        "a command is written `penstock ...`, never capitalised",
    ),
)

TABLE = (*WORDS, *SENTENCES, *FORMS)
_EACH = [(re.compile(word.pattern, re.IGNORECASE), word) for word in (*WORDS, *SENTENCES)]
_EACH += [(re.compile(word.pattern), word) for word in FORMS]


def found(text: str) -> Iterator[tuple[str, str]]:
    """Yield each old word in a text, and what to say in its place."""
    for pattern, word in _EACH:
        for match in pattern.finditer(text):
            yield match.group(), word.say
