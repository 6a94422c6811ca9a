// Closed form: constant wheel torque tau against drag, rolling and slope: v(t) = v1 tanh(t/t1) with
// v1 = sqrt(F/k), t1 = M/sqrt(F k), F = tau/R - m g (Cr cos + sin), k = Cd A rho/2, M = m + J/R^2 (vReg small).
model MechanicsVehicle "Vehicle against drag, rolling resistance and slope; rolling resistance alone"
  import Modelica.Mechanics.Translational.*;
  parameter Real F = 500/0.3 - 1000*Modelica.Constants.g_n*(0.01 + 0.02)/sqrt(1 + 0.02^2) "Net force at rest";
  parameter Real k = 0.5*2*1.2/2 "Drag over v^2";
  parameter Real M = 1000 + 9/0.3^2 "Effective mass";
  Components.Vehicle vehicle(m=1000, J=9, R=0.3, A=2, Cd=0.5, CrConstant=0.01, inclinationConstant=0.02, vReg=1e-6,
    mass(s(fixed=true), v(fixed=true)));
  Modelica.Mechanics.Rotational.Sources.ConstantTorque torque(tau_constant=500);
  Components.RollingResistance rolling(fWeight=100, CrConstant=0.02);
  Components.Mass mass(m=1, s(start=0, fixed=true), v(start=20, fixed=true)) "Decelerated by 2 N";
equation
  connect(torque.flange, vehicle.flangeR);
  connect(rolling.flange, mass.flange_a);
  when terminal() then
    assert(abs(vehicle.v - sqrt(F/k)*tanh(time*sqrt(F*k)/M)) < 1e-2, "Vehicle");
    assert(abs(mass.v - (20 - 2*time)) < 1e-4, "Rolling resistance");
  end when;
  annotation(experiment(StopTime=8, Tolerance=1e-8));
end MechanicsVehicle;
