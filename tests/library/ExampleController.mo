// PID_Controller: at the end the drive stands still, and has turned by the commanded angle pi/2, because the integral of the
// speed error vanishes between two steady states of the PI controller.
model ExampleController
  extends Modelica.Blocks.Examples.PID_Controller;
equation
  when terminal() then
    assert(abs(inertia1.w) < 1e-2 and abs(integrator.y) < 1e-3, "standstill");
    assert(abs(inertia1.phi - driveAngle) < 2e-2, "angle");
    assert(abs(torque.tau + 10) < 0.1 or abs(torque.tau - 10) < 0.1, "the drive carries the load torque");
  end when;
  annotation(experiment(StopTime=4));
end ExampleController;
