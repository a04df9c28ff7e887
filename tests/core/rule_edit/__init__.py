"""core/rule_edit."""
