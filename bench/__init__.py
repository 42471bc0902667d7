"""`make bench`: spacefmu's native FMUs and their peers on the same work, in one run, alternating, by CPU time.

models.py     the works as descriptions
driver.c, .py loops over FMI functions, so that no Python is between two calls; timing.py: who is best in alternating chunks
peers/        Pinocchio, MuJoCo, Basilisk on the same crafts; a peer that is not installed leaves its rows open
work_*.py     the works: each a function that fills a Results
bars.py       what is asked of which row; results.py, page.py, plots.py: tables, docs/benchmarks.md, pictures
tried.md      what paid and what did not: typed, with the day of each number

    python -m bench                     all works; results in build/bench/
    python -m bench dynamics panels     some of them
    python -m bench --page              docs/benchmarks.md from build/bench/results.json
    python -m bench.redraw              what a frame of a pan costs in a report of 100,000 points, in chromium
"""
