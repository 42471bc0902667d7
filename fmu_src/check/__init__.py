"""`spacefmu check`: compares what an FMU declares with its content and behaviour. Any FMU of FMI 2.0 or 3.0, from any tool.

rules.py    the table: a rule is one small function with an id, a severity and a reason
subject.py  the FMU under check: archive, libraries; description2.py, description3.py, variables.py: its XML in both versions
host.py     libraries and instances through ctypes; host2.py, host3.py: the functions of both versions; functions.py: their names
calls.py    which function may be called in which state
running.py  instances, and the co-simulation run that many rules share; exchange.py: the same in model exchange
second.py   the same FMU in a second process
worker.py   the process in which all rules run; check.py starts it, restarts it after a crash, ends it after a hang
*_rules.py  the rules
"""
