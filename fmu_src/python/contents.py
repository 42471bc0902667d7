"""The content of a Python FMU: pythonfmu's wrapper, and in resources/ a separate package with all code and data.

    slavemodule.txt        the name of the module that the wrapper loads
    <name>.py              that module: one class per System
    <name>_code/           dynamics, the slave and pythonfmu's Python part; model.json or model.py
    requirements.txt       packages that the host's Python needs

<name> contains a digest of everything, so two FMUs in one process share code only if it is identical.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from spacefmu import dynamics
from spacefmu.dynamics.system.contract import System

from ..interface.capabilities import Capabilities
from ..interface.description import model_identifier
from .stored import dumps

CAPABILITIES = Capabilities(
    model_exchange=False,
    canGetAndSetFMUstate=True,
    canSerializeFMUstate=True,
    providesDirectionalDerivative=False,
    canInterpolateInputs=False,
    maxOutputDerivativeOrder=0,
    needsExecutionTool=True,  # Python
    canBeInstantiatedOnlyOncePerProcess=False,
    canNotUseMemoryManagementFunctions=True,
)

PLATFORMS = {"linux64": ".so", "win64": ".dll"}  # platforms with a wrapper of pythonfmu, and the suffix of the library
REQUIREMENTS = "numpy>=2\n"
_OF_PYTHONFMU = ("_version", "default_experiment", "enums", "fmi2slave", "logmsg", "variables")
_OF_OURS = ("__init__.py", "interface/__init__.py", "interface/legal.py", "interface/variables.py", *(f"python/{name}.py" for name in ("__init__", "instance", "leaving", "saved", "slave", "stored")))  # fmt: skip
_CARRIED = (
    r"(?:spacefmu\.(?=(?:dynamics|fmu_src)\b)|(?=pythonfmu\b))"  # imports whose packages an FMU carries as copies
)
_NOT_CARRIED = r"^\s*(?:import (?:spacefmu|pythonfmu)\b|from spacefmu import\b).*"


@dataclass(frozen=True)
class FmuContents:
    """name: unique to this content. resources: name in resources/ → text."""

    name: str
    resources: dict[str, str]


def contents(system: System, own_module: str = "", own_class: str = "") -> FmuContents:
    """The resources of a System's FMU.

    A System made by `dynamics` is stored as the data it was made from (`System.made_by`); a user's block as the text of its module, with
    the name of its class.
    """
    if own_module:
        made = {"model.py": own_module}
        load = f"from .model import {own_class}\n\n\ndef load():\n    return {own_class}().system()\n"
    elif system.made_by is not None:
        made = {"model.json": dumps(*system.made_by)}
        load = _LOAD_DATA
    else:
        raise ValueError(f"{system.name}: its made_by is None, so there is no data that a Python FMU could carry")
    code = {"__init__.py": '"""All code and data of one FMU."""\n', "load.py": load} | made | _carried_code()
    name = f"{model_identifier(system)}_{_digest(code)}"
    package = f"{name}_code"
    resources = {
        f"{package}/{path}": _moved(text, package) if path.endswith(".py") else text for path, text in code.items()
    }
    resources["slavemodule.txt"] = name
    resources[f"{name}.py"] = _MODULE.format(
        name=system.name, slave=model_identifier(system), package=package, identity=name
    )
    resources["requirements.txt"] = REQUIREMENTS
    return FmuContents(name, resources)


def libraries() -> dict[str, bytes]:
    """pythonfmu's wrapper, platform → library."""
    folder = files("pythonfmu") / "resources" / "binaries"
    return {p: next(f.read_bytes() for f in (folder / p).iterdir() if f.name.endswith(s)) for p, s in PLATFORMS.items()}


def _carried_code() -> dict[str, str]:
    ours, theirs = files("spacefmu.fmu_src"), files("pythonfmu")
    code = {f"fmu_src/{path}": (ours / path).read_text("utf-8") for path in _OF_OURS}
    code |= {f"pythonfmu/{name}.py": (theirs / f"{name}.py").read_text("utf-8") for name in _OF_PYTHONFMU}
    code["pythonfmu/__init__.py"] = '"""The part of pythonfmu that a slave needs."""\n'
    root = Path(dynamics.__file__).parent
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        if "description" not in path.relative_to(root).parts and _needs_numpy_alone(text):
            code[f"dynamics/{path.relative_to(root).as_posix()}"] = text
    return code


@cache  # all modules of dynamics, for every FMU
def _needs_numpy_alone(text: str) -> bool:
    """Allows imports only of numpy, the standard library and the package itself."""
    roots = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            roots.add((node.module or "").partition(".")[0])
    return roots <= {"numpy"} | sys.stdlib_module_names


def _moved(text: str, package: str) -> str:
    """A module's text with its imports of carried packages redirected to the package of the FMU."""
    if wrong := re.search(_NOT_CARRIED, text, re.MULTILINE):
        raise ValueError(
            f"{wrong[0].strip()!r}: an FMU carries its own copy of the package; "
            "write the import as 'from spacefmu.dynamics… import …'"
        )
    return re.sub(rf"^(\s*from ){_CARRIED}", rf"\g<1>{package}.", text, flags=re.MULTILINE)


def _digest(code: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(code):
        digest.update(f"{path}\0{len(code[path])}\0{code[path]}".encode())
    return digest.hexdigest()[:16]


_LOAD_DATA = """import os
from pathlib import Path

from .dynamics.system.recording import recorded
from .fmu_src.python.stored import loads


def load():
    function, data = loads((Path(__file__).parent / "model.json").read_text("utf-8"))
    system = function(data)
    return system if os.environ.get("SPACEFMU_PLAIN") else recorded(system)  # plain: for a debugger, 20 to 40 times slower
"""

_MODULE = '''"""{name}, an FMU in Python: the model and its solver are in {package}."""

import sys

try:
    if sys.version_info < (3, 11):
        raise ImportError("Python 3.11 or newer")
    try:
        import numpy
    except ImportError as error:
        raise ImportError("numpy (resources/requirements.txt)") from error
except ImportError as error:
    # also on stderr: a host with logging off shows nothing else
    message = f"{name} needs {{error}} in the host's Python, this is {{sys.version.split()[0]}} in {{sys.prefix}}"
    print(message, file=sys.stderr)
    raise ImportError(message) from error

import ctypes
import functools

from {package} import load
from {package}.fmu_src.python import slave


class {slave}(slave.SystemSlave):
    identity = "{identity}"
    system = staticmethod(functools.cache(load.load))

    def __init__(self, **kwargs):
        # At every instantiation the wrapper of pythonfmu 0.7.0 gives back a reference to this module's globals that it
        # never took. Here is one for it: a module without any fails at its second instantiation (measured).
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))
        super().__init__(**kwargs)
'''
