"""The picture of a System: bodies with their shapes, lines, jets. No equation reads it."""
