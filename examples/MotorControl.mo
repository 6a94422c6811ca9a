// A DC motor turns a load; a computer samples the speed every 5 ms and sets the voltage by a PID law.
// Look for: the voltage controller.y is a staircase; the speed load.w reaches 100 rad/s without overshoot and
// returns to it after the load torque steps at 1 s (only the integral part can do that).
model MotorControl "DC motor under a sampled PID controller"
  block SampledPID "PID controller in difference form with limited output"
    Modelica.Blocks.Interfaces.RealInput reference "Wanted value";
    Modelica.Blocks.Interfaces.RealInput measured "Measured value";
    Modelica.Blocks.Interfaces.RealOutput y "Output";
    parameter Real Ts(unit="s") = 0.005 "Sampling period";
    parameter Real k = 0.3 "Gain";
    parameter Real Ti(unit="s") = 0.15 "Integral time";
    parameter Real Td(unit="s") = 0.002 "Derivative time";
    parameter Real y_max = 48 "Limit of the output";
    discrete Real e(start=0, fixed=true) "Control error";
    discrete Real integral(start=0, fixed=true) "Integral part";
    discrete Real u(start=0, fixed=true) "Output";
  equation
    when sample(0, Ts) then
      e = reference - measured;
      // The integral stops while the output is at its limit (anti-windup).
      integral = if abs(pre(u)) < y_max then pre(integral) + k*Ts/Ti*e else pre(integral);
      u = max(-y_max, min(y_max, k*e + integral + k*Td/Ts*(e - pre(e))));
    end when;
    y = u;
  end SampledPID;
  SampledPID controller;
  Modelica.Blocks.Sources.Step reference(height=100, startTime=0.1);
  Modelica.Electrical.Analog.Sources.SignalVoltage supply;
  Modelica.Electrical.Analog.Basic.Resistor armature(R=0.5);
  Modelica.Electrical.Analog.Basic.Inductor coil(L=2e-3, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.RotationalEMF emf(k=0.2);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Modelica.Mechanics.Rotational.Components.Inertia load(J=0.01, phi(start=0, fixed=true), w(start=0, fixed=true));
  Modelica.Mechanics.Rotational.Sources.TorqueStep torque(stepTorque=-1, offsetTorque=0, startTime=1);
  Modelica.Mechanics.Rotational.Sensors.SpeedSensor sensor;
equation
  connect(reference.y, controller.reference);
  connect(sensor.w, controller.measured);
  connect(controller.y, supply.v);
  connect(supply.p, armature.p);
  connect(armature.n, coil.p);
  connect(coil.n, emf.p);
  connect(emf.n, supply.n);
  connect(ground.p, supply.n);
  connect(emf.flange, load.flange_a);
  connect(load.flange_b, torque.flange);
  connect(sensor.flange, load.flange_b);
  annotation(experiment(StopTime=2, Interval=0.002));
end MotorControl;
