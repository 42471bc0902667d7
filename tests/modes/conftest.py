import pytest

from tests.modes import ccx


class Panel:
    """A solid panel 400 × 150 × 8 mm, clamped at x = 0: CalculiX' modes (modes.*) and its free matrices (free.*)."""

    nodes, elements = ccx.brick_mesh((8, 3, 1), (400.0, 150.0, 8.0), (0.0, -75.0, -4.0))
    root = ccx.at(nodes, 0, 0.0)
    tip = ccx.at(nodes, 0, 400.0)

    def __init__(self, folder):
        self.folder = folder
        ccx.run(folder, "modes", ccx.deck(self.nodes, self.elements, clamped=self.root))
        ccx.run(folder, "free", ccx.deck(self.nodes, self.elements, step="*FREQUENCY, SOLVER=MATRIXSTORAGE"))


@pytest.fixture(scope="session")
def panel(tmp_path_factory) -> Panel:
    return Panel(tmp_path_factory.mktemp("calculix"))
