"""Related files that an FMU carries, by the draft of FMI-LS-REF (which commit: interface/references.py)."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote, urlsplit

from ..interface.references import FOLDER, MANIFEST, NAME, TEXT
from .rules import INTEROPERABILITY, NotPossible, rule
from .subject import parsed

_LS = "{http://fmi-standard.org/fmi-ls-manifest}fmi-ls-"
_ROLES = re.compile(
    "(document|requirement|specification|model|parameter|system|testcase|experiment(/(smoke-test|validation|uncertainty-analysis))?"
    "|result|method|rationale|report|request|delivery|configuration|signature|serialized-state(/.*)?|meta-data|other)"
)


def related(fmu) -> list[dict[str, str]]:
    """Attributes of the files that the manifest names; none without a manifest."""
    if MANIFEST not in fmu.names:
        return []
    return [dict(each.attrib) for each in parsed(fmu.read(MANIFEST), MANIFEST, "fmiReferences").findall("Related")]


def place_of(source: str) -> str | None:
    """Where a file is in the archive; None for a URI that leads elsewhere."""
    parts = urlsplit(source)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return None
    return posixpath.normpath(FOLDER + unquote(parts.path))


@rule(
    "references-manifest",
    INTEROPERABILITY,
    "the manifest of related files (FMI-LS-REF) follows the draft, and its files exist",
)
def references_manifest(fmu):
    if MANIFEST not in fmu.names:
        return
    try:
        root = parsed(fmu.read(MANIFEST), MANIFEST, "fmiReferences")
    except NotPossible as error:  # of this file alone
        yield str(error)
        return
    for key, wanted in (("name", NAME), ("version", None), ("description", TEXT)):
        found = root.get(_LS + key)
        if found is None or (wanted and found != wanted):
            yield f"fmi-ls-{key} is {found!r}" + (f", expected {wanted!r}" if wanted else ", expected one")
    for each in related(fmu):
        source, role = each.get("source", ""), each.get("role", "")
        if not _ROLES.fullmatch(role):
            yield f"{source!r} has the role {role!r}, which the draft does not have"
        place = place_of(source)
        if place is not None and place not in fmu.names:
            yield f"{source!r} is not in the FMU"
