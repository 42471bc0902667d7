"""`spacefmu check`: what an FMU promises against what it is and does. Any FMI 2.0 FMU, ours or another tool's.

rules.py    the table: a rule is one small function with an id, a severity and a reason
subject.py  the FMU that a rule looks at: archive, description, libraries, instances
host.py     the FMI functions through ctypes
running.py  instances, and the co-simulation run that many rules look at; exchange.py: the same in model exchange
second.py   the same FMU in a second process
worker.py   the process in which all rules run; check.py starts it, restarts it after a crash, ends it after a hang
*_rules.py  the rules
"""
