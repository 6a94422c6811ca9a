// Closed form: 1 kg under 10 N from rest reaches the stop at 0.2 m after 0.2 s and rests there; under -10 N
// from 0.5 s on it leaves the stop and rests at -0.1 m.
model WaveMassStops "Mass with wave ports between end stops"
  import Ferrica.Hydraulics.TLM.Mechanics.*;
  ForceSource left;
  Mass mass(m=1, x_min=-0.1, x_max=0.2);
  FreeEnd right;
  Real x_stop(start=0, fixed=true) "Position at 0.4 s";
  Real x_way(start=0, fixed=true) "Position at 0.6 s";
equation
  connect(mass.port_a, left.port);
  connect(mass.port_b, right.port);
  left.f = if time < 0.5 then 10 else -10;
  when time >= 0.4 then
    x_stop = mass.x;
  end when;
  when time >= 0.6 then
    x_way = mass.x;
  end when;
  when terminal() then
    assert(abs(x_stop - 0.2) < 1e-6, "At the right stop");
    assert(abs(x_way - 0.15) < 1e-5, "On the way back: 0.2 - 5*0.1^2");
    assert(abs(mass.x + 0.1) < 1e-6 and abs(mass.v) < 1e-9, "At the left stop");
  end when;
  annotation(experiment(StopTime=1, Tolerance=1e-8));
end WaveMassStops;
