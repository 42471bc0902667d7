"""Pictures of a work: work against precision, cost against size."""

from __future__ import annotations

from pathlib import Path

from .results import Results

_AXES = {  # picture → labels of x and y; errors grow to the left, sizes are marked as they were measured
    "work and precision": ("relative error of the energy after 1000 s", "seconds of CPU", "errors"),
    "cost against size": ("links", "nanoseconds of CPU a forward dynamics", "sizes"),
    "flexible panel": ("modes", "nanoseconds of CPU an evaluation", "sizes"),
    "work and precision of beads": ("error of the bodies' places after a second [m]", "seconds of CPU", "errors"),
    "beaded cable": ("beads", "nanoseconds of CPU", "sizes"),
}
_MARKS = "osd^vPX"


def write(results: Results, folder: Path) -> list[Path]:
    """One PNG a picture; their paths."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    paths = []
    for picture, curves in results.points.items():
        x, y, sort = _AXES[picture.partition(",")[0]]
        figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
        for mark, (name, points) in zip(_MARKS, curves.items(), strict=False):
            axes.loglog(*zip(*points, strict=True), marker=mark, label=name.replace("`", ""))
        axes.set(xlabel=x, ylabel=y, title=picture)
        axes.grid(True, which="both", alpha=0.25)
        axes.legend(fontsize="small")
        if sort == "errors":
            axes.invert_xaxis()
        else:
            sizes = sorted({size for points in curves.values() for size, _ in points})
            axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
            axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        paths.append(folder / f"{picture.replace(', ', '_').replace(' ', '_')}.png")
        figure.savefig(paths[-1], dpi=120)
        plt.close(figure)
    return paths
