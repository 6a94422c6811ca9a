// Closed forms: series RLC with R = 2, L = 0.5, C = 0.1 under 10 V: poles -2 +- 4j,
// u_C = 10 (1 - exp(-2t) (cos 4t + sin(4t)/2)). Motor in steady state: r i = b w and U = R i + r w.
model BondElements "Bond graph elements against closed forms"
  import Ferrica.Bonds.*;
  Se source(e0=10);
  Junction1 mesh(n=4);
  R resistor(R=2);
  I coil(I=0.5, f(start=0, fixed=true));
  C capacitor(C=0.1, e(start=0, fixed=true));
  Sf current(f0=3);
  Junction0 node(n=4);
  R shunt(R=4);
  C store(C=0.5, e(start=0, fixed=true));
  De voltmeter;
  Se supply(e0=24);
  Junction1 armature(n=3);
  R winding(R=0.5);
  GY machine(r=0.1);
  TF gear(m=2);
  Junction1 shaft(n=3);
  I rotor(I=1e-3, f(start=0, fixed=true));
  R bearing(R=0.01);
  MSe signalEffort;
  MTF signalGear;
  MGY signalGyrator;
  MR signalResistor;
  MSf signalFlow;
  R last(R=5);
  Se battery(e0=12);
  Junction1 branch(n=3);
  R lamp(R=4);
  Df ammeter;
equation
  connect(battery.p, branch.p[1]);
  connect(lamp.p, branch.p[2]);
  connect(ammeter.p, branch.p[3]);
  connect(source.p, mesh.p[1]);
  connect(resistor.p, mesh.p[2]);
  connect(coil.p, mesh.p[3]);
  connect(capacitor.p, mesh.p[4]);
  connect(current.p, node.p[1]);
  connect(shunt.p, node.p[2]);
  connect(store.p, node.p[3]);
  connect(voltmeter.p, node.p[4]);
  connect(supply.p, armature.p[1]);
  connect(winding.p, armature.p[2]);
  connect(machine.p1, armature.p[3]);
  connect(machine.p2, gear.p1);
  connect(gear.p2, shaft.p[1]);
  connect(rotor.p, shaft.p[2]);
  connect(bearing.p, shaft.p[3]);
  signalEffort.u = 6;
  signalGear.u = 2;
  signalGyrator.u = 3;
  signalResistor.u = 4;
  signalFlow.u = 7;
  connect(signalEffort.p, signalGear.p1);
  connect(signalGear.p2, signalGyrator.p1);
  connect(signalGyrator.p2, signalResistor.p);
  connect(signalFlow.p, last.p);
  when terminal() then
    assert(abs(capacitor.e - 10*(1 - exp(-2*time)*(cos(4*time) + sin(4*time)/2))) < 1e-5, "Series RLC");
    assert(abs(voltmeter.y - 12*(1 - exp(-time/2))) < 1e-5, "Current into R and C in parallel");
    // The gear halves the effort and doubles the flow: at the motor the bearing is 0.01*2^2 = 0.04;
    // U = R i + r w, r i = 0.04 w: w = U r/(R*0.04 + r^2) = 24*0.1/0.03 = 80, shaft 160.
    assert(abs(shaft.f - 160) < 1e-3, "Motor with gear in steady state");
    // Effort 6 becomes 3 behind the transformer, flow 1 behind the gyrator, effort 4 at the resistor.
    assert(abs(signalResistor.e - 4) < 1e-9 and abs(signalEffort.f + 2/3) < 1e-9, "Modulated elements");
    assert(abs(last.e - 35) < 1e-9, "Modulated flow source");
    assert(abs(ammeter.y - 3) < 1e-9 and abs(lamp.e - 12) < 1e-9, "Flow detector: 12/4, without effort");
  end when;
  annotation(experiment(StopTime=3, Tolerance=1e-8));
end BondElements;
