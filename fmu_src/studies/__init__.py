"""Many runs of one model: plans of parameter sets, sweeps on Dask, tables and plots of the results.

plan.py (TOML) → draws.py (a table of numbers) → study.py (checked against the model) → tasks.py (Dask) → store.py (Parquet);
work.py runs in the worker processes, folder.py handles a whole sweep. Dask and pyarrow come with the extra `sweep`.
"""
