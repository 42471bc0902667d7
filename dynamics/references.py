"""The sources that docstrings cite by key."""

REFERENCES = {
    "jin1991": "Jin Liang, H. F. Bauer: Kane's equations of flexible multibody systems with tree structure. "
    "Journal of National University of Defense Technology 13 (3), 1991 (in Chinese)",
    "tkachev": "S. S. Tkachev, D. S. Roldugin, M. Yu. Ovchinnikov: Equations of motion for a satellite with flexible parts (in Russian)",
    "liu1998": "Liu Yanzhu: Dynamics of multibody systems described by fully Cartesian coordinates (in Chinese; the year is a label only)",
    "stroe": "I. Stroe, P. Parvu: Holonomic and nonholonomic constraints in dynamics of multibody systems",
    "wie1989": "B. Wie, H. Weiss, A. Arapostathis: Quaternion feedback regulator for spacecraft eigenaxis rotations. "
    "Journal of Guidance, Control, and Dynamics 12 (3), 1989",
    "wie2001": "B. Wie, D. Bailey, C. Heiberg: Singularity robust steering logic for redundant single-gimbal control moment gyros. "
    "Journal of Guidance, Control, and Dynamics 24 (5), 2001",
    "singer1990": "N. C. Singer, W. P. Seering: Preshaping command inputs to reduce system vibration. "
    "Journal of Dynamic Systems, Measurement, and Control 112 (1), 1990",
    "oppenheim1999": "A. V. Oppenheim, R. W. Schafer, J. R. Buck: Discrete-Time Signal Processing, 2nd ed., Prentice Hall 1999",
    "widynski2020": "B. Widynski: Squares: a fast counter-based RNG. arXiv 2004.06278, 2020",
    "wichura1988": "M. J. Wichura: Algorithm AS 241: the percentage points of the normal distribution. Applied Statistics 37 (3), 1988",
    "farrenkopf1978": "R. L. Farrenkopf: Analytic steady-state accuracy solutions for two common spacecraft attitude estimators. "
    "Journal of Guidance and Control 1 (4), 1978",
    "markley2014": "F. L. Markley, J. L. Crassidis: Fundamentals of Spacecraft Attitude Determination and Control, Springer 2014",
    "hairer1993": "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd ed., Springer 1993",
    "hairer1996": "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed., Springer 1996",
    "cash1990": "J. R. Cash, A. H. Karp: A variable order Runge-Kutta method for initial value problems with rapidly varying "
    "right-hand sides. ACM Transactions on Mathematical Software 16 (3), 1990",
    "sandu1997": "A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael, F. A. Potra: Benchmarking stiff ODE solvers for "
    "atmospheric chemistry problems II: Rosenbrock solvers, Atmospheric Environment 31 (1997) 3459-3472",
    "steinebach2023": "G. Steinebach: Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within the "
    "Julia Differential Equations package. BIT Numerical Mathematics 63, 2023",
    "thornton1993": "E. A. Thornton, Y. A. Kim: Thermally induced bending vibrations of a flexible rolled-up solar array. "
    "Journal of Spacecraft and Rockets 30 (4), 1993",
    "abramson1966": "H. N. Abramson (ed.): The dynamic behavior of liquids in moving containers. NASA SP-106, 1966",
    "craig1968": "R. R. Craig, M. C. C. Bampton: Coupling of substructures for dynamic analyses. AIAA Journal 6 (7), 1968",
    "wallrapp1994": "O. Wallrapp: Standardization of flexible body modeling in multibody system codes, part I: definition of "
    "standard input data. Mechanics of Structures and Machines 22 (3), 1994",
}
