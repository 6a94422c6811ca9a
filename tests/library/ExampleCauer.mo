// CauerLowPassAnalog: the filter between two equal resistors settles at half of the step of 1 V.
model ExampleCauer
  extends Modelica.Electrical.Analog.Examples.CauerLowPassAnalog;
equation
  when terminal() then
    assert(abs(R2.v - 0.5) < 1e-2, "settled output");
    assert(abs(L1.i - 0.5) < 2e-2 and abs(L2.i - 0.5) < 2e-2, "settled currents");
  end when;
  annotation(experiment(StopTime=100));
end ExampleCauer;
