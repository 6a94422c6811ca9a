// PID_Controller: at the end the drive stands still and carries the load torque of 10 N.m. Because the torque was at its limit
// for a while, it has turned further than commanded: 1.83634 rad in the reference results published for the Modelica
// Standard Library 4.1.0.
model ExampleController
  extends Modelica.Blocks.Examples.PID_Controller;
equation
  when terminal() then
    assert(abs(inertia1.w) < 1e-2 and abs(integrator.y) < 1e-3, "standstill");
    assert(abs(inertia1.phi - 1.83634) < 1e-3, "angle");
    assert(abs(torque.tau + 10) < 0.1, "the drive carries the load torque");
  end when;
  annotation(experiment(StopTime=4));
end ExampleController;
