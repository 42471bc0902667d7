"""Trees of rigid and flexible bodies: kinematics, Kane's equations, the O(n) recursion, totals."""
