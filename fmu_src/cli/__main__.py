"""The command line as a module; `python -m spacefmu` is shorter."""

from . import main

main()
