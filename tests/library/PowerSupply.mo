// DCPowerSupply 60 V, 50 A, 1200 W: into 6 Ohm nearly 60 V; into 1 Ohm the power of 1200 W; into 0.1 Ohm nearly 50 A.
model PowerSupply
  import Modelica.Electrical.Analog.*;
  Sources.DCPowerSupply supply[3];
  Basic.Resistor r[3](R={6, 1, 0.1});
  Basic.Ground ground[3];
equation
  for k in 1:3 loop
    connect(supply[k].p, r[k].p); connect(r[k].n, supply[k].n); connect(supply[k].n, ground[k].p);
  end for;
  when terminal() then
    assert(abs(r[1].v - 60*6/6.001) < 1e-6, "constant voltage");
    assert(abs(r[2].LossPower - 1200) < 1e-6, "constant power");
    assert(abs(r[3].i - 50/1.0001) < 1e-6, "constant current");
  end when;
end PowerSupply;
