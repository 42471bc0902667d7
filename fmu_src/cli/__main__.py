"""python -m fmu_src.cli: the command line where the script `spacefmu` is not on the path."""

from . import main

main()
