"""What every description begins with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..fields import Name, Positive, Table


class Experiment(Table):
    """The default experiment of the FMU."""

    stop: Positive = 10.0
    step: Positive = 0.01
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = 1e-8


class Header(Table):
    """Name, one line of what it is, a page of documentation, and the default experiment."""

    name: Name
    description: str = ""
    documentation: str = ""
    experiment: Experiment = Experiment()
