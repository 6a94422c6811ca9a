within Modelica.Electrical.Analog;
package Examples "Circuits to try"
  model CauerLowPassAnalog "Fifth-order elliptic low pass, step response"
    extends Modelica.Icons.Example;
    parameter SI.Inductance l1 = 1.304 "First coil";
    parameter SI.Inductance l2 = 0.8586 "Second coil";
    parameter SI.Capacitance c1 = 1.072 "First shunt";
    parameter SI.Capacitance c2 = 1/(1.704992^2*l1) "Resonates with the first coil at a zero of the filter";
    parameter SI.Capacitance c3 = 1.682 "Second shunt";
    parameter SI.Capacitance c4 = 1/(1.179945^2*l2) "Resonates with the second coil at a zero of the filter";
    parameter SI.Capacitance c5 = 0.7262 "Third shunt";
    Sources.StepVoltage V(V=1, startTime=1, offset=0) "Input";
    Basic.Resistor R1(R=1) "Source resistance";
    Basic.Capacitor C1(C=c1, v(start=0, fixed=true));
    Basic.Inductor L1(L=l1, i(start=0, fixed=true));
    Basic.Capacitor C2(C=c2);
    Basic.Capacitor C3(C=c3, v(start=0, fixed=true));
    Basic.Inductor L2(L=l2, i(start=0, fixed=true));
    Basic.Capacitor C4(C=c4);
    Basic.Capacitor C5(C=c5, v(start=0, fixed=true));
    Basic.Resistor R2(R=1) "Load; its voltage is the output";
    Basic.Ground G;
  equation
    // along the signal
    connect(V.p, R1.p);
    connect(R1.n, C1.p);
    connect(C1.p, L1.p);
    connect(L1.n, C3.p);
    connect(C3.p, L2.p);
    connect(L2.n, C5.p);
    connect(C5.p, R2.p);
    // bridges over the coils
    connect(C2.p, L1.p);
    connect(C2.n, L1.n);
    connect(C4.p, L2.p);
    connect(C4.n, L2.n);
    // return
    connect(V.n, G.p);
    connect(C1.n, G.p);
    connect(C3.n, G.p);
    connect(C5.n, G.p);
    connect(R2.n, G.p);
    annotation(experiment(StopTime=60));
  end CauerLowPassAnalog;

  model ChuaCircuit "Chaos from a piecewise linear resistor"
    extends Modelica.Icons.Example;
    Basic.Inductor L(L=18, i(start=0, fixed=true));
    Basic.Resistor Ro(R=12.5e-3) "Resistance of the coil";
    Basic.Conductor G(G=0.565) "Couples the two capacitors";
    Basic.Capacitor C1(C=10, v(start=4, fixed=true));
    Basic.Capacitor C2(C=100, v(start=0, fixed=true));
    Utilities.NonlinearResistor Nr(Ga=-0.757576, Gb=-0.409091, Ve=1) "Feeds the oscillation";
    Basic.Ground Gnd;
  equation
    connect(Gnd.p, Ro.n);
    connect(Ro.p, L.n);
    connect(L.p, C2.p);
    connect(C2.p, G.p);
    connect(G.n, C1.p);
    connect(C1.p, Nr.p);
    connect(C2.n, Gnd.p);
    connect(C1.n, Gnd.p);
    connect(Nr.n, Gnd.p);
    annotation(experiment(StopTime=5e4, Interval=1));
  end ChuaCircuit;

  model Rectifier "Six-pulse bridge of diodes at three phases"
    extends Modelica.Icons.Example;
    parameter SI.Voltage VAC = 400 "Effective voltage between two phases";
    parameter SI.Frequency f = 50 "Line frequency";
    parameter SI.Inductance LAC = 60e-6 "Line inductance";
    parameter SI.Resistance Ron = 1e-3 "Resistance of a conducting diode";
    parameter SI.Conductance Goff = 1e-3 "Conductance of a blocking diode";
    parameter SI.Voltage Vknee = 2 "Knee voltage of a diode";
    parameter SI.Capacitance CDC = 15e-3 "Smoothing capacitance";
    parameter SI.Current IDC = 500 "Load current";
    output SI.Voltage uDC = Capacitor1.v + Capacitor2.v "Rectified voltage";
    output SI.Current iAC[3] = {Inductor1.i, Inductor2.i, Inductor3.i} "Line currents";
    output SI.Voltage uAC[3] = {Inductor1.n.v - Inductor2.n.v, Inductor2.n.v - Inductor3.n.v, Inductor3.n.v - Inductor1.n.v}
      "Voltages between the phases at the bridge";
    output SI.Power Losses = IdealDiode1.LossPower + IdealDiode2.LossPower + IdealDiode3.LossPower
      + IdealDiode4.LossPower + IdealDiode5.LossPower + IdealDiode6.LossPower "Losses of the diodes";
    Sources.SineVoltage SineVoltage1(V=VAC*sqrt(2/3), f=f, phase=0);
    Sources.SineVoltage SineVoltage2(V=VAC*sqrt(2/3), f=f, phase=-2/3*Modelica.Constants.pi);
    Sources.SineVoltage SineVoltage3(V=VAC*sqrt(2/3), f=f, phase=-4/3*Modelica.Constants.pi);
    Basic.Inductor Inductor1(L=LAC);
    Basic.Inductor Inductor2(L=LAC, i(start=0, fixed=true));
    Basic.Inductor Inductor3(L=LAC, i(start=0, fixed=true));
    Ideal.IdealDiode IdealDiode1(Ron=Ron, Goff=Goff, Vknee=Vknee) "Phase 1 to plus";
    Ideal.IdealDiode IdealDiode2(Ron=Ron, Goff=Goff, Vknee=Vknee) "Phase 2 to plus";
    Ideal.IdealDiode IdealDiode3(Ron=Ron, Goff=Goff, Vknee=Vknee) "Phase 3 to plus";
    Ideal.IdealDiode IdealDiode4(Ron=Ron, Goff=Goff, Vknee=Vknee) "Minus to phase 1";
    Ideal.IdealDiode IdealDiode5(Ron=Ron, Goff=Goff, Vknee=Vknee) "Minus to phase 2";
    Ideal.IdealDiode IdealDiode6(Ron=Ron, Goff=Goff, Vknee=Vknee) "Minus to phase 3";
    Basic.Capacitor Capacitor1(C=2*CDC) "Upper half of the smoothing";
    Basic.Capacitor Capacitor2(C=2*CDC) "Lower half of the smoothing";
    Basic.Ground Ground1 "Middle of the rectified voltage";
    Sources.SignalCurrent SignalCurrent1 "Load";
    Modelica.Blocks.Sources.Constant Constant1(k=IDC);
  initial equation
    Capacitor1.v = VAC/sqrt(2);
    Capacitor2.v = VAC/sqrt(2);
  equation
    // phases
    connect(SineVoltage1.n, SineVoltage2.n);
    connect(SineVoltage1.n, SineVoltage3.n);
    connect(SineVoltage1.p, Inductor1.p);
    connect(SineVoltage2.p, Inductor2.p);
    connect(SineVoltage3.p, Inductor3.p);
    // bridge
    connect(Inductor1.n, IdealDiode1.p);
    connect(Inductor1.n, IdealDiode4.n);
    connect(Inductor2.n, IdealDiode2.p);
    connect(Inductor2.n, IdealDiode5.n);
    connect(Inductor3.n, IdealDiode3.p);
    connect(Inductor3.n, IdealDiode6.n);
    // plus
    connect(IdealDiode1.n, Capacitor1.p);
    connect(IdealDiode2.n, Capacitor1.p);
    connect(IdealDiode3.n, Capacitor1.p);
    connect(SignalCurrent1.p, Capacitor1.p);
    // minus
    connect(IdealDiode4.p, Capacitor2.n);
    connect(IdealDiode5.p, Capacitor2.n);
    connect(IdealDiode6.p, Capacitor2.n);
    connect(SignalCurrent1.n, Capacitor2.n);
    // middle
    connect(Capacitor1.n, Capacitor2.p);
    connect(Capacitor2.p, Ground1.p);
    connect(Constant1.y, SignalCurrent1.i);
    annotation(experiment(StopTime=0.1, Interval=1e-5));
  end Rectifier;

  model Resistor "A sine voltage heats a resistor that cools through a conductance"
    extends Modelica.Icons.Example;
    Sources.SineVoltage SineVoltage1(V=220, f=1);
    Basic.Resistor resistor(R=100, T_ref=293.15, alpha=1e-3, useHeatPort=true);
    Basic.Ground G;
    Modelica.Thermal.HeatTransfer.Components.ThermalConductor thermalConductor(G=50);
    Modelica.Thermal.HeatTransfer.Celsius.FixedTemperature fixedTemperature(T=20);
  equation
    connect(SineVoltage1.p, resistor.p);
    connect(SineVoltage1.n, resistor.n);
    connect(SineVoltage1.n, G.p);
    connect(resistor.heatPort, thermalConductor.port_a);
    connect(thermalConductor.port_b, fixedTemperature.port);
    annotation(experiment(StopTime=5));
  end Resistor;

  model CharacteristicIdealDiodes "Characteristics of three ideal diodes"
    extends Modelica.Icons.Example;
    Sources.SineVoltage SineVoltage1(V=10, offset=-9, f=1);
    Sources.SineVoltage SineVoltage2(V=10, offset=0, f=1);
    Sources.SineVoltage SineVoltage3(V=10, offset=0, f=1);
    Modelica.Electrical.Analog.Ideal.IdealDiode Ideal(Ron=0, Goff=0, Vknee=0) "No losses";
    Modelica.Electrical.Analog.Ideal.IdealDiode With_Ron_Goff(Ron=0.1, Goff=0.1, Vknee=0) "Straight lines";
    Modelica.Electrical.Analog.Ideal.IdealDiode With_Ron_Goff_Vknee(Ron=0.2, Goff=0.2, Vknee=5) "Straight lines with a knee";
    Basic.Resistor R1(R=1e-3);
    Basic.Resistor R2(R=1e-3);
    Basic.Resistor R3(R=1e-3);
    Basic.Ground Ground1;
  equation
    connect(SineVoltage2.p, Ideal.p);
    connect(Ideal.n, R1.p);
    connect(SineVoltage1.p, With_Ron_Goff.p);
    connect(With_Ron_Goff.n, R2.p);
    connect(SineVoltage3.p, With_Ron_Goff_Vknee.p);
    connect(With_Ron_Goff_Vknee.n, R3.p);
    connect(R1.n, Ground1.p);
    connect(R2.n, Ground1.p);
    connect(R3.n, Ground1.p);
    connect(SineVoltage1.n, Ground1.p);
    connect(SineVoltage2.n, Ground1.p);
    connect(SineVoltage3.n, Ground1.p);
    annotation(experiment(StopTime=1));
  end CharacteristicIdealDiodes;

  package Utilities "Parts of the examples"
    model NonlinearResistor "Three straight lines through the origin and +-Ve"
      extends Interfaces.OnePort;
      parameter SI.Conductance Ga "Slope between -Ve and Ve";
      parameter SI.Conductance Gb "Slope outside";
      parameter SI.Voltage Ve "Limit of the inner line";
    equation
      i = Gb*v + (Ga - Gb)*(if v > Ve then Ve elseif v < -Ve then -Ve else v);
    end NonlinearResistor;
  end Utilities;
end Examples;
