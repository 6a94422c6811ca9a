// (s + 3)/(s^2 + 3 s + 2) = 2/(s + 1) - 1/(s + 2): step response 3/2 - 2 exp(-t) + exp(-2 t)/2. The same as state space,
// and a double integrator in state space with x = t^2/2.
model TransferFunctions
  import Modelica.Blocks.Continuous.*;
  import Modelica.Blocks.Types.Init;
  TransferFunction g(b={1, 3}, a={1, 3, 2}, initType=Init.InitialState);
  TransferFunction direct(b={2, 1}, a={1, 1}, initType=Init.InitialState);
  TransferFunction gain(b={4}, a={2});
  TransferFunction steady(b={1, 3}, a={1, 3, 2}, initType=Init.SteadyState);
  TransferFunction output1(b={1}, a={1, 1}, initType=Init.InitialOutput, y_start=2);
  StateSpace ss(A=[-3, -2; 1, 0], B=[1; 0], C=[1, 3], D=[0], initType=Init.InitialState);
  StateSpace double(A=[0, 1; 0, 0], B=[0; 1], C=[1, 0; 0, 1], D=[0; 0], initType=Init.InitialState);
  Real expected = 1.5 - 2*exp(-time) + 0.5*exp(-2*time);
equation
  g.u = 1; direct.u = 1; gain.u = 3; steady.u = 2; output1.u = 0; ss.u = {1}; double.u = {1};
  when time >= 0.7 then
    assert(abs(g.y - expected) < 1e-4 and abs(ss.y[1] - expected) < 1e-4, "step response on the way");
  end when;
  when terminal() then
    assert(abs(g.y - expected) < 1e-4, "TransferFunction");
    assert(abs(ss.y[1] - expected) < 1e-4, "StateSpace");
    assert(abs(direct.y - (1 + exp(-2))) < 1e-4, "TransferFunction with direct part");
    assert(abs(gain.y - 6) < 1e-9, "TransferFunction without states");
    assert(abs(steady.y - 3) < 1e-6, "steady state");
    assert(abs(output1.y - 2*exp(-2)) < 1e-4, "initial output");
    assert(abs(double.y[1] - 2) < 1e-4 and abs(double.y[2] - 2) < 1e-4, "double integrator");
  end when;
  annotation(experiment(StopTime=2));
end TransferFunctions;
