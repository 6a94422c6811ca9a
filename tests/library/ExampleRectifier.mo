// Rectifier: the rectified voltage stays below the peak of the line voltage, 400 sqrt(2) V, and above 480 V; the losses of the
// diodes are at least those of the load current through two knees, 500 A * 2 * 2 V.
model ExampleRectifier
  extends Modelica.Electrical.Analog.Examples.Rectifier;
equation
  when sample(0.0505, 0.001) then
    assert(uDC < 400*sqrt(2) and uDC > 480, "rectified voltage");
    assert(abs(sum(iAC)) < 1e-6, "currents of three phases");
  end when;
  when terminal() then
    assert(Losses > 1500 and Losses < 5000, "losses");
  end when;
  annotation(experiment(StopTime=0.1));
end ExampleRectifier;
