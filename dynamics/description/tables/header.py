"""Keys at the beginning of every description."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..fields import Name, Positive, Table


class Experiment(Table):
    """The default experiment of the FMU."""

    stop: Positive = 10.0
    """end of the default experiment [s]"""
    step: Positive = 0.01
    """time between results, and communication step [s]"""
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] = 1e-8
    """relative tolerance of the solver"""


class Header(Table):
    """Name, one-line summary, a page of documentation, and the default experiment."""

    name: Name
    """name of the model, and of its FMU"""
    description: str = ""
    """one-line summary"""
    documentation: str = ""
    """a page for the FMU's documentation"""
    author: str = ""
    """author of the model"""
    version: str = ""
    """of the model"""
    copyright: str = ""
    """of the model"""
    license: str = ""
    """licence of the model"""
    experiment: Experiment = Experiment()
    """default experiment of the FMU"""
