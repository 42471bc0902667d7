"""Pictures of a run: work against precision, cost against size."""

from __future__ import annotations

from pathlib import Path

from .results import Results

_AXES = {  # picture → labels of x and y, x growing to the left
    "work and precision": ("relative error of the energy after 1000 s", "seconds of CPU", True),
    "cost against size": ("links", "nanoseconds of CPU a forward dynamics", False),
    "flexible panel": ("modes", "nanoseconds of CPU an evaluation", False),
    "beaded cable": ("beads", "nanoseconds of CPU", False),
}
_MARKS = "osd^vPX"


def write(results: Results, folder: Path) -> list[Path]:
    """One PNG a picture; their paths."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    paths = []
    for picture, curves in results.points.items():
        x, y, reverse = _AXES[picture.partition(",")[0]]
        figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
        for mark, (name, points) in zip(_MARKS, curves.items(), strict=False):
            axes.loglog(*zip(*points, strict=True), marker=mark, label=name.replace("`", ""))
        axes.set(xlabel=x, ylabel=y, title=picture)
        axes.grid(True, which="both", alpha=0.25)
        axes.legend(fontsize="small")
        if reverse:
            axes.invert_xaxis()
        paths.append(folder / f"{picture.replace(', ', '_').replace(' ', '_')}.png")
        figure.savefig(paths[-1], dpi=120)
        plt.close(figure)
    return paths
