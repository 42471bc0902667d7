"""spacefmu cache"""

from __future__ import annotations

from typing import Annotated

import typer

from .console import give, give_json, say


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Empty the cache.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show or clear the build cache. It saves compiling again what has not changed.

    Above 512 MB, the least recently used entries are deleted. Set [bold]SPACEFMU_CACHE[/bold] to another folder, or to [bold]off[/bold].

    [bold]Examples:[/bold]

      spacefmu cache

      spacefmu cache --clear
    """
    from ..native.platforms import cache as kept

    found = kept.clear() if clear else kept.contents()
    if as_json:
        facts = {"folder": found.folder and str(found.folder), "files": found.count, "bytes": found.size}
        return give_json(facts | {"limit": kept.LIMIT, "cleared": clear})
    if found.folder is None:
        return give("off", "the cache is switched off by SPACEFMU_CACHE")
    amount = f"{found.count} files, {found.size / 1e6:.1f} MB"
    give(f"{found.folder}  {amount}{' removed' if clear else ''}")
    return None if clear else say("[dim]--clear removes them[/dim]")
