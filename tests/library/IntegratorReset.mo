// Integrator with reset: a saw tooth from 1, -2 or a limit with slope 1, reset every 0.4 s.
model IntegratorReset
  import Modelica.Blocks.Continuous.*;
  Modelica.Blocks.Sources.BooleanPulse pulse(period=0.4, width=50, startTime=0.4);
  Integrator plain(use_reset=true, y_start=1);
  Integrator set1(use_reset=true, use_set=true, y_start=1);
  LimIntegrator limited(use_reset=true, use_set=true, outMax=2);
equation
  plain.u = 1; set1.u = 1; limited.u = 1; set1.set = -2; limited.set = 5;
  connect(pulse.y, plain.reset); connect(pulse.y, set1.reset); connect(pulse.y, limited.reset);
  when time >= 0.3 then
    assert(abs(plain.y - 1.3) < 1e-5 and abs(set1.y - 1.3) < 1e-5, "before the reset");
  end when;
  when terminal() then
    assert(abs(plain.y - 1.2) < 1e-5, "reset to the start value");
    assert(abs(set1.y + 1.8) < 1e-5, "reset to the input");
    assert(abs(limited.y - 2) < 1e-5, "reset within the limits");
  end when;
end IntegratorReset;
