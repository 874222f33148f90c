"""What tells users of their functions: explanations, profiles, checks."""
