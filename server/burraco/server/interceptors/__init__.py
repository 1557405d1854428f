"""What happens around every call: counting, guarding, and finding out who calls."""
