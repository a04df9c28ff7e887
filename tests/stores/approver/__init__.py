"""stores/approver."""
