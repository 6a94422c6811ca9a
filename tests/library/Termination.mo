// TerminateSimulation: the run ends at time 0.3, not at 1.
model Termination
  Modelica.Blocks.Logical.TerminateSimulation stop(condition=time >= 0.3);
equation
  assert(time < 0.31, "the simulation was not terminated");
end Termination;
