"""`decision_reviewer test`: try one rule on an input, without writing anything."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import asking_options, rule_option, told


@click.command("test")
@rule_option
@click.option("--input", "given", required=True, metavar="JSON", help="The tool's input.")
@click.option("--tool", default="", metavar="NAME", help="The tool (default: the rule's).")
@asking_options
def command(rule_id: str, given: str, tool: str, **where: Any) -> int:
    """Try one rule on an input, and say what all rules together answer.

    decision_reviewer test --rule-id allow-npm-install --input '{"command":"npm install"}'
    """
    from penstock.doors.reviewer.learning import read_input, try_rule

    return told(lambda asking: try_rule(asking, rule_id, read_input(given), tool), **where)
