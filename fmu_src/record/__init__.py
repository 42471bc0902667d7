"""The public record of validation: references outside this project, rerun by one command (`spacefmu validate`).

A case is one TOML file below cases/FAMILY: a description, the reference's numbers, their source, and a bound that follows from the
reference's own error. Only numbers, which are facts, are taken over; no foreign file, code or sentence is here.
"""
