"""The satellite of [tkachev] in closed form (a hub, an antenna fixed to it, a panel on a one-axis hinge), and its simplifications."""
