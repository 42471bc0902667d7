"""The page of the catalogue, made from the shipped descriptions, each with its picture (docs/make_images.py).   python -m docs.catalogue   prints it."""

from __future__ import annotations

import tomllib

from spacefmu.dynamics.references import REFERENCES
from spacefmu.fmu_src import catalogue
from spacefmu.fmu_src.catalogue import CatalogueEntry

COUNTED = (  # tables of a description, and how many of them it has in words
    ("bodies", "body", "bodies"), ("joints", "joint", "joints"), ("couplings", "coupling", "couplings"), ("cables", "cable", "cables"),
    ("wheels", "wheel", "wheels"), ("thrusters", "thruster", "thrusters"), ("sensors", "sensor", "sensors"), ("units", "unit", "units"),
)  # fmt: skip
SHOWN = {"spacecraft": "Spacecraft", "system": "Systems of FMUs"}  # kinds of which there is something to see


def page() -> str:
    """The whole page as Markdown."""
    parts = [
        "# Catalogue",
        "What comes with spacefmu, made from the descriptions themselves. A name stands for its file in every command "
        "(`spacefmu build HingedPanel`, `spacefmu view HingedPanel`, `spacefmu system run AttitudeSlew`); `spacefmu list` prints the names, and the files are "
        "meant to be copied. The pictures are [views](view.md) of the default experiments; *simulate it in a page* opens the model itself, which "
        "[runs in your browser](view.md#a-page-that-simulates).",
    ]
    entries = catalogue.entries()
    for kind, title in SHOWN.items():
        parts.append(f"## {title}")
        parts += [_section(entry) for entry in entries if entry.kind == kind]
    parts.append("## Controllers and thermal models")
    parts += [_section(entry) for entry in entries if entry.kind not in SHOWN]
    return "\n\n".join(parts) + "\n"


def _section(entry: CatalogueEntry) -> str:
    data = tomllib.loads(entry.path.read_text(encoding="utf-8"))
    counts = ", ".join(f"{n} {one if n == 1 else many}" for key, one, many in COUNTED if (n := len(data.get(key, ()))))
    stop = data.get("experiment", data).get("stop")
    file = entry.path.relative_to(catalogue.FOLDER).as_posix()
    facts = (
        counts if entry.kind in SHOWN else f'`kind = "{entry.kind}"`',
        f"{stop:g} s by default" if stop else "",
        f"[{entry.path.name}](files/fmu_src/catalogue/{file})",
        f"[simulate it in a page](live/{entry.name}.html)",
    )
    parts = (
        f"### {entry.name} {{ #{entry.name.lower()} }}",
        f"{_cited(entry.description)}.",
        f"![{entry.name} in the 3-D view](images/catalogue/{entry.name}.png)" if entry.kind in SHOWN else "",
        _cited(" ".join(data.get("documentation", "").split())),
        " · ".join(filter(None, facts)),
    )
    return "\n\n".join(filter(None, parts))


def _cited(text: str) -> str:
    """A text whose keys of sources, as [stroe], lead to them."""
    for key in REFERENCES:
        text = text.replace(f"[{key}]", f"[[{key}]](theory/references.md#{key})")
    return text


def references() -> str:
    """The page of the sources."""
    rows = [f'| <a id="{key}"></a>[{key}] | {text} |' for key, text in REFERENCES.items()]
    return "\n".join(
        ["# References", "", "The sources that equations, descriptions and pages cite by key.", "", "| key | source |", "|---|---|", *rows, ""]
    )  # fmt: skip


if __name__ == "__main__":
    print(page())
