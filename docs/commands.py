"""The reference of commands, made from the command line itself: what `--help` says, as one page.   python -m docs.commands   prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.markup import render
from typer.main import get_command

from spacefmu.fmu_src.cli.app import COMMANDS, app_of

BEGIN = "Examples:"
WORDS = {
    "str": "text",
    "float": "number",
    "float range": "number",
    "int": "whole number",
    "int range": "whole number",
    "path": "file",
}


def page() -> str:
    """The whole reference as Markdown."""
    parts = [
        "# Commands",
        "Made from the commands themselves: what `spacefmu COMMAND --help` says. `--debug` may stand anywhere and shows the traceback of an error; "
        "`spacefmu --install-completion` teaches your shell to complete commands, options, names of the catalogue and variables of an FMU.",
    ]
    for name, command in commands().items():
        said, examples = _help(command)
        parts += [f"## {name} {{ #{name.replace(' ', '-')} }}", *said]
        if examples:
            parts.append("```sh\n" + "\n".join(examples) + "\n```")
        rows = [f"| {_call(each)} | {_meaning(each)} |" for each in command.params]
        if rows:
            parts.append("\n".join(["| argument, option | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def commands() -> dict:
    """Every command by what is typed behind `spacefmu`, in the order of the help; groups have no line of their own."""
    return dict(_leaves(get_command(app_of(COMMANDS))))


def examples(command) -> list[str]:
    """The lines that a command's help gives as examples."""
    return _help(command)[1]


def _leaves(command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    inner = getattr(command, "commands", {})
    for name, child in inner.items():
        yield from _leaves(child, (*path, name))
    if not inner:
        yield " ".join(path), command


def _help(command) -> tuple[list[str], list[str]]:
    """Paragraphs, and the examples behind them."""
    lines = [line.strip() for line in _plain(command.help).splitlines() if line.strip()]
    end = lines.index(BEGIN) if BEGIN in lines else len(lines)
    return lines[:end], lines[end + 1 :]


def _plain(text: str) -> str:
    return render(text).plain  # without rich's marks


def _call(parameter) -> str:
    """How it is written: `--output`, `-o` *path*; an argument by its name."""
    takes = (
        parameter.metavar
        or " \\| ".join(getattr(parameter.type, "choices", ()))
        or WORDS.get(parameter.type.name, parameter.type.name)
    )
    if parameter.param_type_name == "argument":
        return f"`{(parameter.metavar or parameter.name).upper()}`"
    options = ", ".join(f"`{option}`" for option in parameter.opts)
    return options if parameter.is_flag else f"{options} *{takes}*"


def _meaning(parameter) -> str:
    text = re.sub(r"([\[\]*_|])", r"\\\1", _plain(parameter.help))
    default = parameter.default
    return text if default in (None, "", False, 0, 0.0) or callable(default) else f"{text} Default: `{default}`."


if __name__ == "__main__":
    print(page())
