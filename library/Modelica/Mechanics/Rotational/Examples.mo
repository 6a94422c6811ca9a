within Modelica.Mechanics.Rotational;
package Examples "Small models that run"

  model First "Motor inertia, ideal gear and elastic load"
    extends Modelica.Icons.Example;
    parameter Modelica.Units.SI.Torque amplitude = 10 "Amplitude of the driving torque";
    parameter Modelica.Units.SI.Frequency f = 5 "Frequency of the driving torque";
    parameter Modelica.Units.SI.Inertia Jmotor(min=0) = 0.1 "Inertia of the motor";
    parameter Modelica.Units.SI.Inertia Jload(min=0) = 2 "Inertia of the load";
    parameter Real ratio = 10 "Gear ratio";
    parameter Real damping = 10 "Damping in the bearing of the gear";
    Components.Fixed fixed;
    Sources.Torque torque(useSupport=true);
    Components.Inertia inertia1(J=Jmotor);
    Components.IdealGear idealGear(ratio=ratio, useSupport=true);
    Components.Inertia inertia2(J=2, phi(fixed=true, start=0), w(fixed=true, start=0));
    Components.Spring spring(c=1.e4, phi_rel(fixed=true));
    Components.Inertia inertia3(J=Jload, w(fixed=true, start=0));
    Components.Damper damper(d=damping);
    Modelica.Blocks.Sources.Sine sine(amplitude=amplitude, f=f);
  equation
    connect(sine.y, torque.tau);
    connect(torque.support, fixed.flange);
    connect(torque.flange, inertia1.flange_a);
    connect(inertia1.flange_b, idealGear.flange_a);
    connect(idealGear.support, fixed.flange);
    connect(idealGear.flange_b, inertia2.flange_a);
    connect(inertia2.flange_b, spring.flange_a);
    connect(spring.flange_b, inertia3.flange_a);
    connect(inertia2.flange_b, damper.flange_a);
    connect(damper.flange_b, fixed.flange);
    annotation(experiment(StopTime=1.0, Interval=0.001));
  end First;

  model CoupledClutches "Three clutches in a row that close and open at different times"
    extends Modelica.Icons.Example;
    parameter Modelica.Units.SI.Frequency f = 0.2 "Frequency of the first clutch's signal";
    parameter Modelica.Units.SI.Time T2 = 0.4 "Time at which the second clutch closes";
    parameter Modelica.Units.SI.Time T3 = 0.9 "Time at which the third clutch closes";
    Components.Inertia J1(J=1, phi(fixed=true, start=0), w(start=10, fixed=true));
    Sources.Torque torque;
    Components.Clutch clutch1(peak=1.1, fn_max=20);
    Components.Inertia J2(J=1, phi(fixed=true, start=0), w(fixed=true));
    Components.Clutch clutch2(peak=1.1, fn_max=20);
    Components.Inertia J3(J=1, phi(fixed=true, start=0), w(fixed=true));
    Components.Clutch clutch3(peak=1.1, fn_max=20);
    Components.Inertia J4(J=1, phi(fixed=true, start=0), w(fixed=true));
    Modelica.Blocks.Sources.Sine sin1(amplitude=10, f=5);
    Modelica.Blocks.Sources.Sine sin2(amplitude=1, f=f, phase=1.57);
    Modelica.Blocks.Sources.Step step1(startTime=T2);
    Modelica.Blocks.Sources.Step step2(startTime=T3);
  equation
    connect(sin1.y, torque.tau);
    connect(torque.flange, J1.flange_a);
    connect(J1.flange_b, clutch1.flange_a);
    connect(clutch1.flange_b, J2.flange_a);
    connect(J2.flange_b, clutch2.flange_a);
    connect(clutch2.flange_b, J3.flange_a);
    connect(J3.flange_b, clutch3.flange_a);
    connect(clutch3.flange_b, J4.flange_a);
    connect(sin2.y, clutch1.f_normalized);
    connect(step1.y, clutch2.f_normalized);
    connect(step2.y, clutch3.f_normalized);
    annotation(experiment(StopTime=1.5, Interval=0.001));
  end CoupledClutches;

  model LossyGear "Gear with bearing friction that sticks while its inertias swing"
    extends Modelica.Icons.Example;
    Components.LossyGear gear(ratio=2, lossTable=[0, 0.9, 0.8, 0.5, 0.6]);
    Components.Inertia motor(J=1, phi(fixed=true, start=0), w(fixed=true, start=0));
    Components.Inertia load(J=1.5);
    Sources.Torque driving;
    Sources.Torque braking;
    Modelica.Blocks.Sources.Sine driver(amplitude=10, f=1);
    Modelica.Blocks.Sources.Ramp brake(height=20, offset=-10, duration=2);
  equation
    connect(driver.y, driving.tau);
    connect(brake.y, braking.tau);
    connect(driving.flange, motor.flange_a);
    connect(motor.flange_b, gear.flange_a);
    connect(gear.flange_b, load.flange_a);
    connect(load.flange_b, braking.flange);
    annotation(experiment(StopTime=0.5, Interval=0.001));
  end LossyGear;
end Examples;
