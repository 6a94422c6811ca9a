// OpAmpDetailed as a follower without offset and bias: after settling the output is the input 1 V up to 1/gain (20000);
// the slew rate of 0.5 V/us limits the rise, so that after 1 us at most 0.5 V are reached.
model DetailedAmplifier
  import Modelica.Electrical.Analog.*;
  Sources.SupplyVoltage supply;
  Sources.StepVoltage step(V=1, startTime=1e-6);
  Basic.Ground ground;
  Basic.Resistor load(R=1e4);
  Basic.OpAmpDetailed amplifier(Vos=0, Ib=0, Ios=0, Avd0=86);
equation
  connect(supply.ground, ground.p); connect(step.n, ground.p); connect(step.p, amplifier.p);
  connect(amplifier.m, amplifier.outp); connect(amplifier.outp, load.p); connect(load.n, ground.p);
  connect(amplifier.p_supply, supply.pin_p); connect(amplifier.m_supply, supply.pin_n);
  when time >= 2e-6 then
    assert(amplifier.outp.v < 0.51, "slew rate");
  end when;
  when terminal() then
    assert(abs(amplifier.outp.v - 1) < 1e-2, "follower");
  end when;
  annotation(experiment(StopTime=5e-5, Tolerance=1e-7));
end DetailedAmplifier;
