"""The OpenAPI 3.1 document of the API, made from its rows.

Always true: it describes every row and nothing else, with every status that a call can get.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.doors.web.api.endpoints import Endpoint

# What a call can meet besides being done, and what that means.
REFUSED = {
    400: "the request is not valid",
    401: "the token is missing or wrong",
    403: "this needs an approver",
    404: "not found",
    409: "conflict: what was shown has changed",
    413: "the body is too large",
    415: "the body is not JSON",
    429: "too many attempts or requests",
    431: "the address and the headers are too long",
    503: "a disk or database error",
}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "description": "stable, for programs"},
                "message": {"type": "string"},
                "because": {"type": "string"},
                "try": {"type": "string"},
            },
        },
        "differences": {
            "type": "array",
            "description": "diff from what was shown to the current state",
            "items": {
                "type": "object",
                "required": ["path", "diff", "newer"],
                "properties": {
                    "path": {"type": "string"},
                    "diff": {"type": "string"},
                    "newer": {"type": "string", "description": "the latest version"},
                },
            },
        },
    },
}
ABOUT = (
    "Everything that the approval page can do. The token is in `admin.token` of the state "
    "directory; the hook's token does not work here. Approving and undoing need the approver's "
    "passphrase besides."
)


def document(endpoints: Sequence[Endpoint], base: str) -> dict[str, Any]:
    """Return the description of some endpoints."""
    paths: dict[str, Any] = {}
    for one in endpoints:
        paths.setdefault(f"{base}{one.path}", {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Penstock", "version": "1", "description": ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": ERROR},
        },
    }


def _operation(one: Endpoint) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": f"{one.method.lower()}-{one.name}",
        "summary": one.about,
        "parameters": [*_in_path(one), *_in_query(one)],
        "responses": {"200": _done(one), **_refusals()},
    }
    if one.body is not None:
        content = {"application/json": {"schema": one.body}}
        made["requestBody"] = {"required": True, "content": content}
    return made


def _in_path(one: Endpoint) -> list[dict[str, Any]]:
    if "{id}" not in one.path:
        return []
    schema = {"type": "string", "minLength": 1, "maxLength": 256}
    return [{"name": "id", "in": "path", "required": True, "schema": schema}]


def _in_query(one: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in one.query.items()
    ]


def _done(one: Endpoint) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": list(one.gives),
        "properties": {name: {"type": kind} for name, kind in one.gives.items()},
    }
    return {"description": "done", "content": {"application/json": {"schema": schema}}}


def _refusals() -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        str(status): {"description": about, "content": content} for status, about in REFUSED.items()
    }
