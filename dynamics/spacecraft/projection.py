"""Staying on the constraints: positions, then velocities, moved by the least motion in the metric of the kinetic energy."""

from __future__ import annotations

import numpy as np

from ..system.contract import Projection, Staged
from .given_start import POSITIONS, VELOCITIES
from .route import jumped
from .rows import Rows


class CouplingProjections:
    """The two projections of a spacecraft with rows. Prescribed and locked axes do not yield."""

    def __init__(self, rows: Rows):
        self.rows, self.dynamics, self.given_start = rows, rows.dynamics, rows.dynamics.craft.given_start

    def all(self) -> tuple[Projection, ...]:
        owners = self.rows.owners
        places, rates = self._stage(self._place, self._place_rows), self._stage(self._brake, self._brake_rows)
        return (
            Projection("positions of couplings", places, 1e-13, owners, level="positions"),
            Projection("velocities of couplings", rates, 1e-13, owners, level="rates"),
        )

    def _stage(self, finish, assemble) -> Staged:
        """Its rows are those of the motion over the system's size."""
        dyn = self.dynamics
        stiffness = dyn.stiffness * dyn.craft.size**2
        return Staged(finish, assemble, dyn.tree.nv, self.rows.count, stiff=dyn.stiff, stiffness=stiffness)

    def _rows(self, t, x, u, k, d, level, residual, shown):
        """Metric, rows and minus residuals, both by the system's size."""
        M, asked, _v = self.rows.still(t, x, u, k, d)
        _, _, discretes = self.dynamics.bags(u, k, d)
        size = self.dynamics.craft.size
        scales = [(a, shown(a) * (c.active(discretes) / size)) for c, _, a in asked if c.rows]
        held = [1.0 if axis.prescribed else discretes[axis.locked] for axis in self.rows.axes]
        G = self.rows.stacked([a.jacobian * scale[:, None] for a, scale in scales], held)
        gamma = np.concatenate([*(-residual(a) * scale for a, scale in scales), np.zeros(len(self.rows.axes))])
        M, G = self.given_start.kept_out(M, G, discretes, level)
        return M, G, np.zeros(self.dynamics.tree.nv), gamma, np.zeros(0)

    def _place_rows(self, t, x, u, k, d):
        return self._rows(t, x, u, k, d, POSITIONS, lambda a: a.residual, lambda a: a.positional)

    def _brake_rows(self, t, x, u, k, d):
        return self._rows(t, x, u, k, d, VELOCITIES, lambda a: a.rate, lambda a: np.ones(len(a.positional)))

    def _place(self, t, x, u, k, d, z, multipliers, carry):
        """q + T(q) z; quaternions stay unit ones."""
        q, _ = self.dynamics.split(x)
        moved = q + self.dynamics.coordinate_rates(q, z)
        return self.dynamics.with_unit_quaternions(self.dynamics.states.replaced(x, coordinates=moved))

    def _brake(self, t, x, u, k, d, z, multipliers, carry):
        return jumped(self.dynamics, x, z)
