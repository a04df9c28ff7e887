"""core/rule_edit/toml."""
