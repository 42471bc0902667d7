"""Flexible bodies from files of finite-element programs, read at build time into one neutral form.

Readers (table in `formats.py`) return either a `ModalBody` (modes with their integrals) or a `Structure` (matrices of a mesh or a
superelement), which `clamp.py` converts to a `ModalBody`; `select.py` selects modes, `checks.py` makes the report, `body.py` the engine's
body. Nothing here is an equation of motion, and no equation imports it, so it may use scipy and the programs' readers. Files are data:
nothing in them is run.
"""
