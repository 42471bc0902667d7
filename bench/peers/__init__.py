"""Peers on the works of models.py. Each module fails with ImportError if its package is not installed: `make bench` installs them."""
