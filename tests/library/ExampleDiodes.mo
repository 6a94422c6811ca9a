// CharacteristicIdealDiodes at the peak of the sine (0.25 s): 10 V over 1 mOhm; 1 V over 0.101 Ohm; with the knee of 5 V
// i = 0.2*5 + (v - 5)/0.2 and v = 10 - 0.001 i.
model ExampleDiodes
  extends Modelica.Electrical.Analog.Examples.CharacteristicIdealDiodes;
equation
  when time >= 0.25 then
    assert(abs(R1.i - 1e4) < 1e-2, "ideal diode");
    assert(abs(R2.i - 1/0.101) < 1e-4, "diode with resistances");
    assert(abs(R3.i - 26/1.005) < 1e-3, "diode with knee");
  end when;
  when time >= 0.75 then
    assert(abs(R1.i) < 1e-6, "ideal diode blocks");
    assert(abs(R2.i + 19*0.1/(1 + 0.1e-3)) < 1e-4, "diode with resistances blocks");
  end when;
end ExampleDiodes;
