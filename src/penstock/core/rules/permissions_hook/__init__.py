"""core/rules/permissions_hook."""
