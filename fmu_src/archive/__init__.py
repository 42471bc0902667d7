"""Reads FMU files, built by spacefmu or by another tool. Nothing here runs an FMU.

members.py (the zip), description.py (modelDescription.xml), binaries.py (libraries and their platforms).
"""
