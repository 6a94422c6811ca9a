// compare: u1 u2
model VoltageDoubler "Greinacher doubler with ideal diodes and source resistance"
  Real u1(start = 0, fixed = true), u2(start = 0, fixed = true);
  Real s1,d1,j1,s2,d2,j2,vn,is;
  Boolean o1,o2;
equation
  o1 = s1 < 0;
  d1 = s1*(if o1 then 1 else 1e-2);
  j1 = s1*(if o1 then 1e-6 else 1);
  o2 = s2 < 0;
  d2 = s2*(if o2 then 1 else 1e-2);
  j2 = s2*(if o2 then 1e-6 else 1);
  is = (30*sin(314*time) - u1 - vn)/1;
  is = j2 - j1;
  d1 = -vn;
  d2 = vn - u2;
  100e-6*der(u1) = is;
  100e-6*der(u2) = j2 - u2/1000;
  annotation(experiment(StopTime = 0.1, Interval = 2e-4));
end VoltageDoubler;
