// StateSpace with a given output at the start: among x1 + x2 = 3 the smallest derivative of x1' = -x1, x2' = -2 x2 is
// at x1 = 2.4, x2 = 0.6 (minimum of x1^2 + 4 x2^2).
model StateSpaceOutput
  Modelica.Blocks.Continuous.StateSpace ss(A=[-1, 0; 0, -2], B=[0; 0], C=[1, 1], D=[0],
    initType=Modelica.Blocks.Types.Init.InitialOutput, y_start={3});
equation
  ss.u = {0};
  when terminal() then
    assert(abs(ss.x[1] - 2.4*exp(-1)) < 1e-4 and abs(ss.x[2] - 0.6*exp(-2)) < 1e-4, "initial output");
  end when;
end StateSpaceOutput;
