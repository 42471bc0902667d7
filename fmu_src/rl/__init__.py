"""Environments for reinforcement learning over batches of runs; needs the extra `rl`."""
