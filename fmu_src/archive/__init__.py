"""The reading room: an FMU file seen from outside, ours or another tool's. Nothing in here runs an FMU.

members.py (the zip), description.py (modelDescription.xml), binaries.py (libraries and their platforms).
"""
