"""Where flexible bodies come from at build time: files of finite-element programs, read into one neutral form.

Readers (`formats.py` is their table) give either a `ModalBody` (modes with their integrals) or a `Structure` (matrices of
a mesh or a superelement), which `clamp.py` turns into a `ModalBody`; `select.py` keeps modes, `checks.py` judges, `body.py`
makes the engine's body. Nothing here is an equation of motion, and no equation imports it: scipy and the programs' own
readers are at home here. Files are data: nothing in them is run.
"""
