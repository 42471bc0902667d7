"""Many runs of one model: plans of parameter sets, sweeps on Dask, tables and pictures of what came out.

plan.py (TOML) → draws.py (a table of numbers) → study.py (checked against the model) → tasks.py (Dask) → store.py (Parquet);
work.py is what a worker process does, folder.py the whole. Dask and pyarrow come with the extra `sweep`.
"""
