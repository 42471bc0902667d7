"""The sources that docstrings cite by key."""

REFERENCES = {
    "jin1991": "Jin Liang, H. F. Bauer: Kane's equations of flexible multibody systems with tree structure. "
    "Journal of National University of Defense Technology 13 (3), 1991 (in Chinese)",
    "tkachev": "S. S. Tkachev, D. S. Roldugin, M. Yu. Ovchinnikov: Equations of motion for a satellite with flexible parts (in Russian)",
    "liu1998": "Liu Yanzhu: Dynamics of multibody systems described by fully Cartesian coordinates (in Chinese; the year is a label only)",
    "stroe": "I. Stroe, P. Parvu: Holonomic and nonholonomic constraints in dynamics of multibody systems",
}
