"""Tethers: cables that only pull. All are connections (spacefmu.dynamics.constraints.connection) between two places.

    Cable     massless, inextensible: a condition while taut, nothing while slack, captured by an impulse
    Elastic   massless, with stiffness and damping
    Beaded    a chain of point masses with axial stiffness: cost linear in their number
    Deployed  the same with material that leaves a reel, or is wound in

`stroe_pair` has the paper's planar equations of two tethered bodies on a circular orbit, as it prints them (corrected).
"""

from .beaded import Beaded
from .cable import Cable
from .deployed import Deployed
from .elastic import Elastic

__all__ = ["Beaded", "Cable", "Deployed", "Elastic"]
