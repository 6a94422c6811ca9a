model Plates "Arrays of every kind: parameters, inputs, states, outputs, whole and logical numbers"
  parameter Real k[3] = {1, 2, 3} "Conductances";
  parameter Real A[2,3] = [1, 2, 3; 4, 5, 6];
  parameter Integer n[2] = {3, 4};
  parameter Boolean on[2] = {true, false};
  input Real u[3](start = {0.1, 0.2, 0.3}, each unit = "W");
  output Real y[2];
  output Boolean hot[3];
  Real T[3](start = {1, 2, 3}, each fixed = true, each unit = "K") "Temperatures";
  Real single(start = 1, fixed = true);
  Integer steps[2](each start = 0, each fixed = true);
equation
  for i in 1:3 loop
    der(T[i]) = u[i] - k[i]*T[i]^2;
    hot[i] = T[i] > 0.5;
  end for;
  der(single) = -single;
  y = A*T;
  when sample(0, 0.1) then
    steps = {pre(steps[1]) + n[1], pre(steps[2]) + (if on[2] then n[2] else 1)};
  end when;
  annotation (experiment(StopTime = 1));
end Plates;
