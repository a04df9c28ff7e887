"""Each export form keeps its own rules, whatever an event holds."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.export.formats import CEF_FIELDS, Format, encode
from penstock.core.audit.export.outcomes import OUTCOMES, Sender
from tests.core.audit.records import ZEROS, body, linked, record
from tests.schemas import ocsf_faults

SENDER = Sender(version="1.2.3", host="dev-7", log="audit.jsonl")
NASTY = 'a|b=c\\d"e]f\ng\rh\x1b[31m\u2028\u202e caf\u00e9'


def out(form: Format, *bodies: str) -> list[str]:
    return list(encode(linked(list(bodies)), form, SENDER))


def ocsf(text: str) -> dict[str, object]:
    found = json.loads(out(Format.OCSF, text)[0])
    assert isinstance(found, dict)
    return found


def test_json_lines_are_the_lines_themselves() -> None:
    lines = record(3)
    assert list(encode(lines, Format.JSONL, SENDER)) == [line.decode() for line in lines]


def test_export_takes_one_line_at_a_time() -> None:
    endless = iter(lambda: record(1)[0], b"")
    for form in Format:
        stream = encode(endless, form, SENDER)
        assert [bool(next(stream)) for _ in range(3)] == [True] * 3


# --- OCSF 1.8, File System Activity ---------------------------------------------------------


def test_the_class_and_what_it_requires_are_there_for_the_barest_event() -> None:
    found = ocsf('"op":"x"')
    assert (found["class_uid"], found["category_uid"]) == (1001, 1)
    for name in ("activity_id", "type_uid", "time", "severity_id", "metadata", "actor", "device"):
        assert name in found
    assert found["file"] == {
        "name": "unknown",
        "path": "",
        "type_id": 1,
        "type": "Regular File",
    }
    metadata = found["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["version"] == "1.8.0"
    assert metadata["product"] == {
        "name": "Penstock",
        "vendor_name": "Penstock",
        "version": "1.2.3",
    }
    assert metadata["profiles"] == ["security_control"]


@pytest.mark.parametrize(
    ("fields", "activity", "name"),
    [
        ({"op": "read_file"}, 2, "Read"),
        ({"op": "write_file_propose"}, 3, "Update"),
        ({"op": "write_file_apply", "created": True}, 1, "Create"),
        ({"op": "applied", "kind": "delete"}, 4, "Delete"),
        ({"op": "decided", "action": "create"}, 1, "Create"),
        ({"op": "decided", "action": "read"}, 2, "Read"),
        ({"op": "applied"}, 3, "Update"),
        ({"op": "log_rotated"}, 99, "log_rotated"),
    ],
)
def test_the_activity_is_what_would_be_done_to_the_file(
    fields: dict[str, object], activity: int, name: str
) -> None:
    found = ocsf(body(0, **fields))  # type: ignore[arg-type]
    assert (found["activity_id"], found["activity_name"]) == (activity, name)
    assert found["type_uid"] == 100100 + activity


@pytest.mark.parametrize(
    ("status", "status_id", "action_id", "disposition_id"),
    [
        ("allowed", 1, 1, 1),
        ("denied", 2, 2, 2),
        ("rejected", 2, 2, 25),
        ("hitl_required", 99, 99, 14),
        ("approved", 1, 1, 8),
        ("error", 2, 0, 27),
        ("expired", 2, 2, 99),
        ("something else", 99, 0, 0),
    ],
)
def test_the_outcome_is_told_in_the_words_of_the_schema_and_in_ours(
    status: str, status_id: int, action_id: int, disposition_id: int
) -> None:
    found = ocsf(body(0, status=status))
    assert found["status_id"] == status_id
    assert found["action_id"] == action_id
    assert found["disposition_id"] == disposition_id
    assert found["status_detail"] == status


def test_the_time_is_in_milliseconds() -> None:
    assert ocsf(body(0, ts="2025-01-13T12:00:00Z"))["time"] == 1736769600000


def test_the_raw_line_goes_along_with_the_chain() -> None:
    first, second = (json.loads(text) for text in encode(record(2), Format.OCSF, SENDER))
    own = second["unmapped"]
    assert own["prev_hash"] == first["unmapped"]["event_hash"] == first["metadata"]["uid"]
    # whoever has the export can check the chain: the hash is over the raw line's beginning
    hashed = second["raw_data"].partition(',"event_hash"')[0]
    assert "sha256:" + hashlib.sha256(hashed.encode()).hexdigest() == own["event_hash"]
    whole = hashlib.sha256(second["raw_data"].encode()).hexdigest()
    assert second["raw_data_hash"]["value"] == whole


def test_agent_person_session_and_policy_have_their_places() -> None:
    found = ocsf(
        body(0, agent="claude", session="s1", by="ann", revision="sha256:1", context_id="ctx")
    )
    assert found["actor"] == {
        "app_name": "claude",
        "user": {"name": "ann"},
        "session": {"uid": "s1"},
    }
    assert found["policy"] == {"uid": "sha256:1", "name": "penstock.toml"}
    assert ocsf(body(0))["actor"] == {"app_name": "penstock"}


def test_before_and_after_are_hashes_of_two_files() -> None:
    found = ocsf(body(0, base_hash="sha256:" + "a" * 64, after_hash="sha256:" + "b" * 64))
    before, after = found["file"], found["file_result"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert (before["hashes"][0]["value"], after["hashes"][0]["value"]) == ("a" * 64, "b" * 64)


def test_a_file_that_was_not_written_has_no_result() -> None:
    proposed = ocsf(body(0, status="hitl_required", content_hash="sha256:" + "b" * 64))
    assert "file_result" not in proposed
    assert proposed["unmapped"]["content_hash"] == "sha256:" + "b" * 64  # type: ignore[index]


def test_what_the_schema_has_no_place_for_is_unmapped() -> None:
    unmapped = ocsf(body(0, tool_call_id="tc", n=5))["unmapped"]
    assert isinstance(unmapped, dict)
    assert unmapped.keys() == {"tool_call_id", "n", "prev_hash", "event_hash"}


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                *("ts", "seq", "op", "path", "status", "agent", "session", "by", "revision"),
                *("context_id", "before_hash", "after_hash", "content_hash", "kind", "created"),
            ]
        ),
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(["applied", "denied", "sha256:" + "c" * 64, "2025-01-13T12:00:00Z"]),
            st.integers(),
            st.booleans(),
            st.none(),
        ),
    )
)
def test_whatever_an_entry_holds_it_is_valid_by_the_published_schema(
    event: dict[str, object],
) -> None:
    (text,) = encode([json.dumps(event).encode()], Format.OCSF, SENDER)
    assert ocsf_faults(json.loads(text)) == []


@pytest.mark.parametrize("status", [*OUTCOMES, "something else"])
@pytest.mark.parametrize("op", ["applied", "read_file", "decided", "segment_closed"])
def test_every_outcome_is_valid_by_the_published_schema(op: str, status: str) -> None:
    found = ocsf(body(0, op=op, status=status, agent="claude", after_hash="sha256:" + "b" * 64))
    assert ocsf_faults(found) == []


def test_the_published_schema_finds_what_it_does_not_know() -> None:
    found = ocsf(body(0))
    assert ocsf_faults({**found, "severity_id": 7, "attestation_list": []}) != []
    del found["device"]
    assert ocsf_faults(found) == ["$: 'device' is a required property"]


def test_a_line_that_cannot_be_read_is_valid_as_well() -> None:
    (text,) = encode([b"\xff not json"], Format.OCSF, Sender(version="1"))
    assert ocsf_faults(json.loads(text)) == []


# --- CEF ------------------------------------------------------------------------------------


def cef_fields(text: str) -> tuple[list[str], dict[str, str]]:
    """Read CEF as a collector does: split at unescaped bars, then at keys."""
    parts = re.split(r"(?<!\\)(?:\\\\)*\|", text, maxsplit=7)
    found = re.findall(r"(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)", parts[7])
    return parts, dict(found)


def test_cef_has_seven_header_fields_and_named_extensions() -> None:
    text = out(Format.CEF, body(3, status="denied", rule="r1", agent="claude"))[0]
    parts, fields = cef_fields(text)
    assert parts[:5] == ["CEF:0", "Penstock", "Penstock", "1.2.3", "read_file"]
    assert parts[6] == "6"
    assert fields["act"] == "denied"
    assert fields["filePath"] == "src/f3.py"
    assert (fields["cs1"], fields["cs1Label"]) == ("r1", "rule")
    assert (fields["cn1"], fields["dvchost"]) == ("3", "dev-7")


def test_cef_escapes_what_would_end_a_field() -> None:
    text = out(Format.CEF, body(0, path="a=b\\c\nd", op="x|y\\z"))[0]
    assert "filePath=a\\=b\\\\c\\nd " in text
    assert "|x\\|y\\\\z|" in text


# --- syslog, RFC 5424 -----------------------------------------------------------------------

SYSLOG = re.compile(
    r"<(\d{1,3})>1 (\S+) (\S+) penstock - (\S{1,32}) "
    r'\[origin software="Penstock" swVersion="[^"]{1,32}"\](?:\[meta sequenceId="(\d+)"\])? '
    r'\ufeff?(.*?)((?: [a-z_]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)'
)


def test_syslog_has_priority_time_host_and_structured_data() -> None:
    text = out(Format.SYSLOG, body(3, status="denied"))[0]
    match = SYSLOG.fullmatch(text)
    assert match is not None
    assert match[1] == str(13 * 8 + 4)  # log audit, warning
    assert (match[2], match[3], match[4]) == ("2025-01-13T12:00:03Z", "dev-7", "read_file")
    assert match[5] == "4", "it begins at 1"
    assert ' path="src/f3.py"' in match[7]
    assert ' seq="3"' in match[7]


def test_syslog_uses_no_enterprise_number_that_is_not_registered() -> None:
    text = out(Format.SYSLOG, body(3, status="denied"))[0]
    elements = re.findall(r"\[(\S+) ", text.partition(" - ")[2])
    assert elements == ["origin", "meta"], "registered by RFC 5424 itself; others need a number"


def test_syslog_says_nothing_where_it_knows_nothing() -> None:
    text = next(encode([b"garbage"], Format.SYSLOG, Sender(version="1")))
    assert text.startswith("<107>1 - - penstock - unreadable_line [origin ")


# --- all of them ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", list(Format))
def test_a_line_that_cannot_be_read_goes_out_as_one_line_that_says_so(form: Format) -> None:
    texts = list(encode([b"garbage \xff", record(1)[0]], form, SENDER))
    assert len(texts) == 2
    assert "garbage" in texts[0] or "unreadable_line" in texts[0]


@pytest.mark.parametrize("form", [Format.OCSF, Format.CEF, Format.SYSLOG])
def test_no_value_can_break_out_of_its_line(form: Format) -> None:
    fields = {"path": NASTY, "agent": NASTY, "reason": NASTY, "rule": NASTY, "op": NASTY}
    text = out(form, body(0, **fields))[0]
    assert "\n" not in text
    assert "\r" not in text
    assert "\x1b" not in text
    if form is Format.SYSLOG:
        assert SYSLOG.fullmatch(text)


@settings(deadline=None, max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["op", "path", "status", "agent", "reason", "seq", "ts", "created"]),
        st.text(max_size=30) | st.integers() | st.none() | st.booleans() | st.lists(st.integers()),
    )
)
def test_any_event_can_be_written_in_any_form(event: dict[str, object]) -> None:
    text = json.dumps({"op": "x", **event}, separators=(",", ":"))[1:-1]
    for form in Format:
        written = next(encode(linked([text]), form, SENDER))
        assert written.encode("utf-8")
        assert len(written.splitlines()) == 1 or form is Format.JSONL


VALUES = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    [
        "|",
        "\\",
        "=",
        "]",
        '"',
        "\n",
        "\r\n",
        "a|b=c]\\\\",
        " act=allow",
        '" path="x',
        "\u202e",
        "\x1b[",
    ]
)
NAMES = ("op", "path", "status", "agent", "reason", "rule", "by", "context_id", "session")
EVENTS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(NAMES, VALUES),
)


def cef_parts(text: str) -> tuple[list[str], dict[str, str]]:
    """Read CEF as its specification says: pipes end header fields, ` key=` begins an extension."""
    header = re.split(r"(?<!\\)(?:\\\\)*\|", text, maxsplit=7)
    fields = re.findall(r"(?:^| )([A-Za-z0-9]+)=((?:[^=\\]|\\.)*?)(?=$| [A-Za-z0-9]+=)", header[7])
    return header, dict(fields)


@settings(deadline=None, max_examples=200)
@given(EVENTS)
def test_cef_and_syslog_escape_everything(event: dict[str, str]) -> None:
    line = json.dumps({"op": "x", **event}, separators=(",", ":"))[1:-1]
    cef = next(encode(linked([line]), Format.CEF, SENDER))
    header, fields = cef_parts(cef)
    assert (header[0], len(header)) == ("CEF:0", 8)
    known = {"rt", "dvchost", "cn1", "cn1Label", *(key for key, _ in CEF_FIELDS)}
    known |= {f"cs{at}{end}" for at in range(1, 7) for end in ("", "Label")}
    assert set(fields) <= known, "no value became a field"
    path = event.get("path", "")
    assert ("filePath" in fields) is bool(path)
    syslog = next(encode(linked([line]), Format.SYSLOG, SENDER))
    found = SYSLOG.fullmatch(syslog)
    assert found is not None
    for text in (cef, syslog):
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
        assert len(text.splitlines()) == 1


def test_the_genesis_is_the_zeros_that_everybody_knows() -> None:
    assert json.loads(out(Format.JSONL, body(0))[0])["prev_hash"] == ZEROS
