within Modelica.Blocks;
package Examples "Block diagrams to try"
  model PID_Controller "Speed of a drive with a flexible shaft, controlled along a point-to-point motion"
    extends Modelica.Icons.Example;
    parameter SI.Angle driveAngle = 1.570796326794897 "Angle to move";
    Sources.KinematicPTP kinematicPTP(deltaq={driveAngle}, qd_max={1}, qdd_max={1}, startTime=0.5) "Acceleration";
    Continuous.Integrator integrator(initType=Types.Init.InitialState) "Speed to follow";
    Continuous.LimPID PI(controllerType=Types.SimpleController.PI, k=100, Ti=0.1, Td=0.1, yMax=12, Ni=0.1,
      initType=Types.Init.SteadyState, limiter(u(start=0))) "Speed controller";
    Modelica.Mechanics.Rotational.Sources.Torque torque "Drive";
    Modelica.Mechanics.Rotational.Components.Inertia inertia1(J=1, phi(fixed=true, start=0), a(fixed=true, start=0)) "Rotor";
    Modelica.Mechanics.Rotational.Components.SpringDamper spring(c=1e4, d=100, stateSelect=StateSelect.prefer,
      w_rel(fixed=true)) "Shaft";
    Modelica.Mechanics.Rotational.Components.Inertia inertia2(J=2) "Load";
    Modelica.Mechanics.Rotational.Sources.ConstantTorque loadTorque(tau_constant=10, useSupport=false) "Load torque";
    Modelica.Mechanics.Rotational.Sensors.SpeedSensor speedSensor "Speed of the rotor";
  initial equation
    der(spring.w_rel) = 0;
  equation
    connect(kinematicPTP.y[1], integrator.u);
    connect(integrator.y, PI.u_s);
    connect(PI.y, torque.tau);
    connect(torque.flange, inertia1.flange_a);
    connect(inertia1.flange_b, spring.flange_a);
    connect(spring.flange_b, inertia2.flange_a);
    connect(inertia2.flange_b, loadTorque.flange);
    connect(inertia1.flange_b, speedSensor.flange);
    connect(speedSensor.w, PI.u_m);
    annotation(experiment(StopTime=4));
  end PID_Controller;

  model FilterStep "Step responses of the four pole patterns"
    extends Modelica.Icons.Example;
    Sources.Step step(startTime=0.1);
    Continuous.Filter critical(order=3, f_cut=2, analogFilter=Types.AnalogFilter.CriticalDamping);
    Continuous.Filter bessel(order=3, f_cut=2, analogFilter=Types.AnalogFilter.Bessel);
    Continuous.Filter butterworth(order=3, f_cut=2, analogFilter=Types.AnalogFilter.Butterworth);
    Continuous.Filter chebyshev(order=3, f_cut=2, analogFilter=Types.AnalogFilter.ChebyshevI);
  equation
    connect(step.y, critical.u);
    connect(step.y, bessel.u);
    connect(step.y, butterworth.u);
    connect(step.y, chebyshev.u);
    annotation(experiment(StopTime=0.9));
  end FilterStep;

  model Thermostat "A two-point controller keeps a first-order plant in a band"
    extends Modelica.Icons.Example;
    Sources.Constant wanted(k=20);
    Logical.OnOffController controller(bandwidth=2);
    Math.BooleanToReal heater(realTrue=30, realFalse=0);
    Continuous.FirstOrder room(k=1, T=10, y_start=15, initType=Types.Init.InitialState);
  equation
    connect(wanted.y, controller.reference);
    connect(controller.y, heater.u);
    connect(heater.y, room.u);
    connect(room.y, controller.u);
    annotation(experiment(StopTime=60));
  end Thermostat;
end Examples;
