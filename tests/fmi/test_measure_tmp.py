import math, numpy as np, pytest
from tests.fmi.conftest import *
from tests.fmi.test_cosimulation import *
from tests.fmi.test_tableau import *
def test_m(unit):
    w,a,t=2.0,0.3,10.0
    for m in ADAPTIVE:
        o=unit(OSCILLATOR).initialize(tolerance=1e-11, solver__method=METHOD[m], force=a).run(t,0.5)
        e=a/w**2+(1-a/w**2)*math.cos(w*t); print('osc',m,abs(o['position']-e),abs(o['work']-a*(e-1)))
    for m in METHODS:
        ball=unit(BALL).initialize(solver__method=METHOD[m]); t3,t4=bounce_times(4)[2:]; end=(t4+t3)/2; ball.fmu.doStep(0.0,end); v3=0.8**3*math.sqrt(2*9.81)
        print('ball',m,abs(ball['height']-(v3*(end-t3)-0.5*9.81*(end-t3)**2)),abs(ball['speed']-(v3-9.81*(end-t3))))
    for s in (BALL,PENDULUM,OSCILLATOR):
        for m in METHODS:
            st={"solver__method":METHOD[m],"solver__tolerance":1e-10,"solver__max_step":0.01 if m=="rk4" else 0.0}
            l=unit(s).initialize(**st).run(1.0,1.0); q=unit(s).initialize(**st).run(1.0,0.1)
            print('split',s.name,m,np.abs(l.array(Group.STATE)-q.array(Group.STATE)).max())
    for m in ADAPTIVE:
        st=unit(RELAXATION).initialize(solver__method=METHOD[m],solver__tolerance=1e-7,rate=1e5).run(5.0,1.0); print('stiff',m,solver_steps(st))
    print('sine',sine_error(unit,lambda t,h:[]),sine_error(unit,lambda t,h:[(math.sin(3*(t+h))-math.sin(3*t))/h]),sine_error(unit,lambda t,h:[3**n*math.sin(3*t+n*math.pi/2) for n in range(1,6)]))
    for mt,o in ((RK4,4),(DOP853,8)):
        n=len(mt.b);A=mt.a[:n,:n]; print('tab',max(abs(mt.b@weights(A,tr)-1/density(tr)) for p in range(1,o+1) for tr in trees(p)), max(abs(mt.b@weights(A,tr)-1/density(tr)) for tr in trees(o+1)), sum(len(trees(p)) for p in range(1,o+1)))
