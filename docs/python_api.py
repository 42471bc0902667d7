"""The reference of the Python functions, made from the package itself.   python -m docs.python_api   prints it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module

from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result

ROOMS = (
    "models",
    "looking",
    "running",
    "systems",
    "showing",
    "batches",
    "sweeps",
)  # of fmu_src/api; what comes from elsewhere is of results


def page() -> str:
    """The whole reference as Markdown."""
    parts = [
        "# Python",
        "Made from the functions themselves. `import spacefmu` is all that scripts and notebooks need; "
        "commands call the same functions. `source` is a description, a name of the [catalogue](../catalogue.md), an FMU, or a System from `load`.",
    ]
    functions = {name: each for name in api.__all__ if inspect.isfunction(each := getattr(api, name))}
    classes = {name: each for name in api.__all__ if inspect.isclass(each := getattr(api, name))}
    for room in ROOMS:
        module = import_module(f"spacefmu.fmu_src.api.{room}")
        parts.append(f"## {_text(module).splitlines()[0].rstrip('.')}")
        parts += [_function(name, each) for name, each in functions.items() if each.__module__ == module.__name__]
        parts += [_class(name, each) for name, each in classes.items() if each.__module__ == module.__name__]
    parts.append("## Results")
    parts.append(f"### Result {{ #result }}\n\n{_text(Result)}")
    parts += [_function(name, each, "Result.") for name, each in inspect.getmembers(Result, inspect.isfunction) if not name.startswith("_")]  # fmt: skip
    parts += [_function(name, each) for name, each in functions.items() if ".api." not in each.__module__]
    return "\n\n".join(parts) + "\n"


def _class(name: str, each: type) -> str:
    """Its call, what it says of itself, and its methods."""
    methods = [(own, method) for own, method in inspect.getmembers(each, inspect.isfunction) if not own.startswith("_")]
    made = _function(name, each.__init__).split("\n\n")[:2]  # type: ignore[misc]
    texts = [_function(own, method, f"{name.lower()}.").replace(f"{{ #{own} }}", f"{{ #{name}-{own} }}") for own, method in methods]  # fmt: skip
    return "\n\n".join([*made, _text(each), *(f"#{text}" for text in texts)])


def _function(name: str, function: Callable, before: str = "") -> str:
    """Its call with all arguments, and what it says of itself."""
    given = inspect.signature(function).parameters.values()
    arguments = [_argument(each) for each in given if each.name != "self"]
    inside = ", ".join(arguments)
    if len(inside) > 70:
        inside = "\n    " + ",\n    ".join(arguments) + ",\n"
    return f"### {name} {{ #{name} }}\n\n```python\n{before}{name}({inside})\n```\n\n{_text(function)}"


def _argument(given: inspect.Parameter) -> str:
    """As it stands in the code: annotations are texts there."""
    star = "**" if given.kind is given.VAR_KEYWORD else ""
    note = "" if given.annotation is given.empty else f": {given.annotation}"
    return f"{star}{given.name}{note}" + ("" if given.default is given.empty else f" = {given.default!r}")


def _text(thing: object) -> str:
    """A docstring; what begins with the name of an argument is a line of its own, and brackets are not links."""
    text = re.sub(r"(?<=\S)\n(?=\w[\w, ]*(?: \[s\])?: )", "  \n", inspect.getdoc(thing) or "")
    return re.sub(r"`[^`]*`|([*\[\]])", lambda found: f"\\{found[1]}" if found[1] else found[0], text)


if __name__ == "__main__":
    print(page())
