"""core/audit/export."""
