"""python -m spacefmu: the command line where the script `spacefmu` is not on the path."""

from .fmu_src.cli import main

main()
