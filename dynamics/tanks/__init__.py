"""Tanks: liquid whose mass is a state, its position at each fill, the thrusters that burn it, and its slosh."""
