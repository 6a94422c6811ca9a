model StrangerSwappedConnection
  import Modelica.Electrical.Analog.*;
  Sources.SineVoltage V(V = 10, f = 50);
  Basic.Resistor R(R = 100);
  Basic.Capacitor C(C = 1e-6, v(fixed = true));
  Basic.Ground g;
equation
  connect(V.p, R.p);
  connect(R.n, C.p);
  connect(C.p, V.n);
  connect(V.n, g.p);
end StrangerSwappedConnection;
// command: check
// code: W0412
// place: 5:19
// hint: connect it, or remove the component
// edit: connect(C.p, V.n) ==> connect(C.n, V.n)
