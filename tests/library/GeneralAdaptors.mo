// run: --tol 1e-8
// Each half of three systems is behind a pair of adaptors and behaves as if connected directly: two masses and two inertias
// under a constant force accelerate together, a heat capacity follows a source through a conductor with exp(-t).
model GeneralAdaptors
  import Modelica.Mechanics.Rotational;
  import Modelica.Mechanics.Translational;
  import Modelica.Thermal.HeatTransfer;
  Rotational.Sources.ConstantTorque torque(tau_constant=6);
  Rotational.Components.Inertia inertia1(J=1, phi(start=0, fixed=true), w(start=0, fixed=true));
  Rotational.Components.GeneralTorqueToAngleAdaptor toAngle;
  Rotational.Components.GeneralAngleToTorqueAdaptor toTorque;
  Rotational.Components.Inertia inertia2(J=2);
  Translational.Sources.ConstantForce force(f_constant=6);
  Translational.Components.Mass mass1(m=1, s(start=0, fixed=true), v(start=0, fixed=true));
  Translational.Components.GeneralForceToPositionAdaptor toPosition;
  Translational.Components.GeneralPositionToForceAdaptor toForce;
  Translational.Components.Mass mass2(m=2);
  HeatTransfer.Sources.FixedTemperature source(T=400);
  HeatTransfer.Components.ThermalConductor conductor(G=10);
  HeatTransfer.Components.GeneralTemperatureToHeatFlowAdaptor toFlow(use_pder=false);
  HeatTransfer.Components.GeneralHeatFlowToTemperatureAdaptor toTemperature(use_pder=false);
  HeatTransfer.Components.HeatCapacitor body(C=10, T(start=300, fixed=true));
equation
  connect(torque.flange, inertia1.flange_a);
  connect(inertia1.flange_b, toAngle.flange);
  connect(toAngle.p, toTorque.p);
  connect(toAngle.pder, toTorque.pder);
  connect(toAngle.pder2, toTorque.pder2);
  connect(toTorque.f, toAngle.f);
  connect(toTorque.flange, inertia2.flange_a);
  connect(force.flange, mass1.flange_a);
  connect(mass1.flange_b, toPosition.flange);
  connect(toPosition.p, toForce.p);
  connect(toPosition.pder, toForce.pder);
  connect(toPosition.pder2, toForce.pder2);
  connect(toForce.f, toPosition.f);
  connect(toForce.flange, mass2.flange_a);
  connect(source.port, conductor.port_a);
  connect(conductor.port_b, toFlow.heatPort);
  connect(toTemperature.p, toFlow.p);
  connect(toFlow.f, toTemperature.f);
  connect(toTemperature.heatPort, body.port);
  when terminal() then
    assert(abs(inertia2.w - 2*time) < 1e-5 and abs(inertia1.phi - time^2) < 1e-5, "rotational adaptors");
    assert(abs(mass2.v - 2*time) < 1e-5 and abs(mass1.s - time^2) < 1e-5, "translational adaptors");
    assert(abs(body.T - (400 - 100*exp(-time))) < 1e-3, "thermal adaptors");
  end when;
end GeneralAdaptors;
