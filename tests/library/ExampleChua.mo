// ChuaCircuit: the nonlinear resistor lies on its three straight lines (i = Gb v +- (Ga - Gb) Ve outside), and the
// orbit of the double scroll stays within +-6 V on C1.
model ExampleChua
  extends Modelica.Electrical.Analog.Examples.ChuaCircuit;
equation
  when sample(0.5, 10) then
    assert(abs(C1.v) < 6 and abs(C2.v) < 2, "the orbit is bounded");
    assert(abs(Nr.i - (-0.409091*Nr.v - 0.348485*max(-1, min(1, Nr.v)))) < 1e-9, "characteristic");
  end when;
  annotation(experiment(StopTime=2000));
end ExampleChua;
