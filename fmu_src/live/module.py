"""The WebAssembly module of a System: the C of its FMU, the picture's places, and runtime/wasm."""

from __future__ import annotations

import hashlib

from spacefmu.dynamics.system.contract import System

from ..interface.variables import Variable
from ..native.c.generator import generate
from ..native.c.picture import picture_c
from ..native.platforms.compile import wasm_module


def sources_of(system: System, variables: tuple[Variable, ...]) -> dict[str, str]:
    """The C of a System's module beside the runtime."""
    picture = None if system.about.picture is None else system.about.picture()
    sources = generate(system, variables, "{}") | {"picture.c": picture_c(picture)}
    guid = hashlib.sha256("".join(sources.values()).encode()).hexdigest()  # saved states belong to this model only
    return sources | {"model.c": sources["model.c"].replace('"{}"', f'"{guid}"')}


def module_of(system: System, variables: tuple[Variable, ...]) -> bytes:
    return wasm_module(sources_of(system, variables))
