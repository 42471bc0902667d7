$ /WORK/HANDS/FE/EXAMPLES/BOOM ASSEMBLY FILE FOR RESIDUAL RUN...INCLUDE IN BULK DATA
$
SEBULK       100  EXTOP4          MANUAL                     100
SECONCT      100       0              NO
               1       1       5       5
$
$ COORDINATE SYSTEM DATA
$
$
$ BOUNDARY GRID DATA
$
GRID*                  1               0      0.00000000      0.00000000
*             0.00000000               0
GRID*                  5               0      1.50000000      0.70000000
*             0.20000000               0
$
SECONCT      100       0              NO
            9001    THRU    9008    9001    THRU    9008
$
SPOINT      9001    THRU    9008
