"""Tanks: liquid whose mass is a state, where it is at each fill, the thrusters that burn it, and how it sloshes."""
