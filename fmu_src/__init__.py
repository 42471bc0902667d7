"""What makes FMUs of the Systems in `dynamics`: model description, generated C, packages, commands."""
