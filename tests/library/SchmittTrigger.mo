// run: --stop 1
// An amplifier with positive feedback: y = sat(1000 (y/4 - u)) jumps down where u passes 1/4 - 1/1000 upwards, and up where it
// passes -(1/4 - 1/1000) downwards: by symmetry it is up for half of a period.
model SchmittTrigger
  Real u = 2*cos(2*Modelica.Constants.pi*time + 1);
  Real y(start=-1);
  Real high(start=0, fixed=true) "Time with y > 0";
equation
  y = smooth(0, noEvent(min(1, max(-1, 1000*(y/4 - u)))));
  der(high) = noEvent(if y > 0 then 1 else 0);
  when terminal() then
    assert(abs(abs(y) - 1) < 1e-6, "saturated");
    assert(abs(high - 0.5) < 1e-3, "half of the time");
  end when;
end SchmittTrigger;
