within Modelica.Electrical.Analog;
package Basic "Resistors, capacitors, inductors, controlled sources and amplifiers"
  model Ground "Potential zero"
    Interfaces.Pin p "Pin"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
  equation
    p.v = 0;
    annotation(Icon(graphics={
      Line(points={{-54,38},{54,38}}, color={0,0,255}),
      Line(points={{-34,20},{34,20}}, color={0,0,255}),
      Line(points={{-14,2},{14,2}}, color={0,0,255}),
      Line(points={{0,92},{0,38}}, color={0,0,255}),
      Text(extent={{-150,-16},{150,-56}}, textString="%name", textColor={0,0,255})}));
  end Ground;

  model Resistor "Resistor that may depend on temperature"
    parameter SI.Resistance R(start=1) "Resistance at T_ref";
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    extends Interfaces.OnePort;
    extends Interfaces.ConditionalHeatPort(T=T_ref);
    SI.Resistance R_actual "Resistance at the temperature";
  equation
    assert(1 + alpha*(T_heatPort - T_ref) >= Modelica.Constants.eps, "Resistor: no resistance at this temperature");
    R_actual = R*(1 + alpha*(T_heatPort - T_ref));
    v = R_actual*i;
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-62,0}}, color={0,0,255}),
      Line(points={{62,0},{92,0}}, color={0,0,255}),
      Rectangle(extent={{-62,25},{62,-25}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="R = %R", textColor={0,0,0})}));
  end Resistor;

  model Conductor "Conductor that may depend on temperature"
    parameter SI.Conductance G(start=1) "Conductance at T_ref";
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    extends Interfaces.OnePort;
    extends Interfaces.ConditionalHeatPort(T=T_ref);
    SI.Conductance G_actual "Conductance at the temperature";
  equation
    assert(1 + alpha*(T_heatPort - T_ref) >= Modelica.Constants.eps, "Conductor: no resistance at this temperature");
    G_actual = G/(1 + alpha*(T_heatPort - T_ref));
    i = G_actual*v;
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-62,0}}, color={0,0,255}),
      Line(points={{62,0},{92,0}}, color={0,0,255}),
      Rectangle(extent={{-62,25},{62,-25}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="G = %G", textColor={0,0,0})}));
  end Conductor;

  model Capacitor "Capacitor"
    extends Interfaces.OnePort(v(start=0));
    parameter SI.Capacitance C(start=1) "Capacitance";
  equation
    C*der(v) = i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-7,0}}, color={0,0,255}),
      Line(points={{7,0},{92,0}}, color={0,0,255}),
      Line(points={{-7,36},{-7,-36}}, color={0,0,255}),
      Line(points={{7,36},{7,-36}}, color={0,0,255}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="C = %C", textColor={0,0,0})}));
  end Capacitor;

  model Inductor "Inductor"
    extends Interfaces.OnePort(i(start=0));
    parameter SI.Inductance L(start=1) "Inductance";
  equation
    L*der(i) = v;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-60,0}}, color={0,0,255}),
      Line(points={{60,0},{92,0}}, color={0,0,255}),
      Line(points={{-60,0},{-58,14},{-45,22},{-32,14},{-30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{-30,0},{-28,14},{-15,22},{-2,14},{0,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{0,0},{2,14},{15,22},{28,14},{30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{30,0},{32,14},{45,22},{58,14},{60,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="L = %L", textColor={0,0,0})}));
  end Inductor;

  model SaturatingInductor "Inductor whose inductance falls with the current"
    extends Interfaces.OnePort(i(start=0));
    parameter SI.Current Inom(start=1) "Nominal current";
    parameter SI.Inductance Lnom(start=1) "Flux over current at nominal current";
    parameter SI.Inductance Lzer(start=2*Lnom) "Inductance at small current";
    parameter SI.Inductance Linf(start=Lnom/2) "Inductance at large current";
    SI.Inductance Lact(start=Lzer) "Flux over current";
    SI.MagneticFlux Psi "Flux";
  protected
    parameter SI.Current Ipar(start=Inom/10, fixed=false) "Current at which saturation begins";
  initial equation
    // the flux at nominal current is Lnom*Inom
    (Lnom - Linf)*Inom = (Lzer - Linf)*Ipar*(Modelica.Constants.pi/2 - atan(Ipar/Inom));
  equation
    assert(Lzer > Lnom and Lnom > Linf, "SaturatingInductor: Lzer > Lnom > Linf is needed");
    Psi = Linf*i + (Lzer - Linf)*Ipar*atan(i/Ipar);
    Lact = noEvent(if abs(i) < Modelica.Constants.small*Ipar then Lzer else Linf + (Lzer - Linf)*atan(i/Ipar)/(i/Ipar));
    v = der(Psi);
    annotation(Icon(graphics={
      Line(points={{-92,0},{-60,0}}, color={0,0,255}),
      Line(points={{60,0},{92,0}}, color={0,0,255}),
      Line(points={{-60,0},{-58,14},{-45,22},{-32,14},{-30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{-30,0},{-28,14},{-15,22},{-2,14},{0,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{0,0},{2,14},{15,22},{28,14},{30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{30,0},{32,14},{45,22},{58,14},{60,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Rectangle(extent={{-60,-10},{60,-16}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,80},{150,40}}, textString="%name", textColor={0,0,255}),
      Text(extent={{-150,-60},{150,-90}}, textString="Lnom = %Lnom", textColor={0,0,0})}));
  end SaturatingInductor;

  model Transformer "Two coupled coils"
    extends Interfaces.TwoPort(i1(start=0), i2(start=0));
    parameter SI.Inductance L1(start=1) "Inductance of the left coil";
    parameter SI.Inductance L2(start=1) "Inductance of the right coil";
    parameter SI.Inductance M(start=1) "Mutual inductance";
    Real dv "v1 - v2; equations for it stay regular when L1 = L2 = M";
  equation
    v1 = L1*der(i1) + M*der(i2);
    dv = (L1 - M)*der(i1) - (L2 - M)*der(i2);
    dv = v1 - v2;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Transformer", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Transformer;

  model M_Transformer "Any number of coupled coils"
    parameter Integer N(final min=1) = 3 "Number of coils";
    parameter SI.Inductance L[div(N*(N + 1), 2)] = {1, 0.1, 0.2, 2, 0.3, 3}
      "Inductances: upper triangle of the matrix, row by row";
    Interfaces.PositivePin p[N] "Positive pins"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n[N] "Negative pins"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    SI.Voltage v[N] "Voltages of the coils";
    SI.Current i[N](each start=0, each fixed=true) "Currents of the coils";
    final parameter SI.Inductance Lm[N, N] =
      {{L[div((min(r, c) - 1)*(2*N - min(r, c)), 2) + max(r, c)] for c in 1:N} for r in 1:N} "Inductance matrix";
  equation
    for k in 1:N loop
      v[k] = p[k].v - n[k].v;
      p[k].i = i[k];
      n[k].i = -i[k];
      v[k] = sum(Lm[k, m]*der(i[m]) for m in 1:N);
    end for;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="M_Transformer", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end M_Transformer;

  model Gyrator "Gyrator"
    extends Interfaces.TwoPort;
    parameter SI.Conductance G1(start=1) "Left voltage to right current";
    parameter SI.Conductance G2(start=1) "Right voltage to left current";
  equation
    i2 = -G1*v1;
    i1 = G2*v2;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Gyrator", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Gyrator;

  model RotationalEMF "Ideal conversion between electrical and rotational power"
    parameter Boolean useSupport = false "The housing is a flange" annotation(Evaluate=true);
    parameter SI.ElectricalTorqueConstant k(start=1) "Torque over current";
    SI.Voltage v "Voltage";
    SI.Current i "Current from p to n";
    SI.Angle phi "Angle of the shaft relative to the housing";
    SI.AngularVelocity w "Speed of the shaft relative to the housing";
    SI.Torque tau "Torque at the flange";
    SI.Torque tauElectrical "Electrical torque";
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Mechanics.Rotational.Interfaces.Flange_b flange "Shaft"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Mechanics.Rotational.Interfaces.Support support if useSupport "Housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    Modelica.Mechanics.Rotational.Components.Fixed fixed if not useSupport "Fixed housing";
    Modelica.Mechanics.Rotational.Interfaces.InternalSupport internalSupport(tau=-tau) "Housing in use";
  equation
    connect(internalSupport.flange, support);
    connect(internalSupport.flange, fixed.flange);
    v = p.v - n.v;
    i = p.i;
    n.i = -i;
    phi = flange.phi - internalSupport.phi;
    w = der(phi);
    v = k*w;
    tauElectrical = k*i;
    tau = -tauElectrical;
    flange.tau = tau;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="RotationalEMF", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end RotationalEMF;

  model TranslationalEMF "Ideal conversion between electrical and translational power"
    parameter Boolean useSupport = false "The housing is a flange" annotation(Evaluate=true);
    parameter SI.ElectricalForceConstant k(start=1) "Force over current";
    SI.Voltage v "Voltage";
    SI.Current i "Current from p to n";
    SI.Position s "Position of the flange relative to the housing";
    SI.Velocity vel "Velocity of the flange relative to the housing";
    SI.Force f "Force at the flange";
    SI.Force fElectrical "Electrical force";
    Interfaces.PositivePin p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Mechanics.Translational.Interfaces.Flange_b flange "Flange"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Mechanics.Translational.Interfaces.Support support if useSupport "Housing"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    Modelica.Mechanics.Translational.Components.Fixed fixed if not useSupport "Fixed housing";
    Modelica.Mechanics.Translational.Interfaces.InternalSupport internalSupport(f=-f) "Housing in use";
  equation
    connect(internalSupport.flange, support);
    connect(internalSupport.flange, fixed.flange);
    v = p.v - n.v;
    i = p.i;
    n.i = -i;
    s = flange.s - internalSupport.s;
    vel = der(s);
    v = k*vel;
    fElectrical = k*i;
    f = -fElectrical;
    flange.f = f;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="TranslationalEMF", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end TranslationalEMF;

  model VCV "Voltage controlled by a voltage"
    extends Interfaces.TwoPort;
    parameter Real gain(start=1) "Right voltage over left voltage";
  equation
    i1 = 0;
    v2 = gain*v1;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="VCV", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end VCV;

  model VCC "Current controlled by a voltage"
    extends Interfaces.TwoPort;
    parameter SI.Conductance transConductance(start=1) "Right current over left voltage";
  equation
    i1 = 0;
    i2 = transConductance*v1;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="VCC", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end VCC;

  model CCV "Voltage controlled by a current"
    extends Interfaces.TwoPort;
    parameter SI.Resistance transResistance(start=1) "Right voltage over left current";
  equation
    v1 = 0;
    v2 = transResistance*i1;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="CCV", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end CCV;

  model CCC "Current controlled by a current"
    extends Interfaces.TwoPort;
    parameter Real gain(start=1) "Right current over left current";
  equation
    v1 = 0;
    i2 = gain*i1;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="CCC", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end CCC;

  model OpAmp "Operational amplifier with smooth saturation at the supply"
    parameter Real Slope(start=10000) "Gain at zero input";
    Interfaces.PositivePin in_p "Positive input"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.NegativePin in_n "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin out "Output"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin VMax "Positive supply"
      annotation(Placement(transformation(extent={{-10,60},{10,80}})));
    Interfaces.NegativePin VMin "Negative supply"
      annotation(Placement(transformation(extent={{-10,-80},{10,-60}})));
    SI.Voltage vin "Input voltage";
  protected
    SI.Voltage vLinear "Output without saturation";
    SI.Voltage half "Half the supply voltage";
  equation
    vin = in_p.v - in_n.v;
    half = (VMax.v - VMin.v)/2;
    vLinear = abs(Slope)*vin;
    out.v = (VMax.v + VMin.v)/2 + vLinear/(1 + smooth(0, noEvent(abs(vLinear/half))));
    in_p.i = 0;
    in_n.i = 0;
    VMax.i = 0;
    VMin.i = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="OpAmp", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end OpAmp;

  model OpAmpDetailed "Operational amplifier with input stage, poles, slew rate and current limit"
    parameter SI.Resistance Rdm = 2.0e6 "Differential input resistance";
    parameter SI.Resistance Rcm = 2.0e9 "Common-mode input resistance";
    parameter SI.Capacitance Cin = 1.4e-12 "Input capacitance";
    parameter SI.Voltage Vos = 1.0e-3 "Input offset voltage";
    parameter SI.Current Ib = 80.0e-9 "Input bias current";
    parameter SI.Current Ios = 20.0e-9 "Input offset current";
    parameter SI.Voltage vcp = 0.0 "Distance of the largest output from the positive supply";
    parameter SI.Voltage vcm = 0.0 "Distance of the smallest output from the negative supply";
    parameter Real Avd0 = 106.0 "Differential gain in dB";
    parameter Real CMRR = 90.0 "Common-mode rejection in dB";
    parameter SI.Frequency fp1 = 5.0 "Dominant pole";
    parameter SI.Frequency fp2 = 2.0e6 "Second pole";
    parameter SI.Frequency fp3 = 20.0e6 "Third pole";
    parameter SI.Frequency fp4 = 100.0e6 "Fourth pole";
    parameter SI.Frequency fz = 5.0e6 "Zero";
    parameter SI.VoltageSlope sr_p = 0.5e6 "Largest rising slope";
    parameter SI.VoltageSlope sr_m = 0.5e6 "Largest falling slope";
    parameter SI.Resistance Rout = 75.0 "Output resistance";
    parameter SI.Current Imaxso = 25.0e-3 "Largest current out of the output";
    parameter SI.Current Imaxsi = 25.0e-3 "Largest current into the output";
    parameter SI.Time Ts = 0.0000012 "Time constant of the slew-rate stage";
    final parameter SI.Current I1 = Ib + Ios/2 "Bias current of the positive input";
    final parameter SI.Current I2 = Ib - Ios/2 "Bias current of the negative input";
    final parameter Real Avd0_val = 10^(Avd0/20) "Differential gain";
    final parameter Real Avcm_val = Avd0_val/10^(CMRR/20)/2 "Common-mode gain";
    Interfaces.PositivePin p "Positive input"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin m "Negative input"
      annotation(Placement(transformation(extent={{-110,-60},{-90,-40}})));
    Interfaces.PositivePin outp "Output"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin p_supply "Positive supply"
      annotation(Placement(transformation(extent={{-10,60},{10,80}})));
    Interfaces.NegativePin m_supply "Negative supply"
      annotation(Placement(transformation(extent={{-10,-80},{10,-60}})));
    SI.Voltage v_3 "Positive input behind the offset";
    SI.Voltage v_in "Differential input behind the offset";
    SI.Voltage q_fr1 "After the second pole";
    SI.Voltage q_fr2 "After the zero and the third pole";
    SI.Voltage q_fr3 "After the fourth pole";
    SI.Voltage q_sum "After the gain";
    SI.Voltage q_sum_help "After the limits of the supply";
    SI.Voltage q_fp1 "After the dominant pole";
    SI.Voltage v_source "After the slew-rate limit";
    SI.VoltageSlope slope "Slope without limit";
  protected
    constant Real w = 2*Modelica.Constants.pi;
    SI.Current i_in "Current between the inputs";
    SI.Voltage vMax = p_supply.v - abs(vcp) "Largest output";
    SI.Voltage vMin = m_supply.v + abs(vcm) "Smallest output";
  initial equation
    v_source = q_fp1;
  equation
    // input stage
    v_3 = p.v - Vos;
    v_in = v_3 - m.v;
    i_in = v_in/Rdm + Cin*der(v_in);
    p.i = I1 + v_3/Rcm + i_in;
    m.i = I2 + m.v/Rcm - i_in;
    // poles and zero
    der(q_fr1) = w*fp2*(v_in - q_fr1);
    q_fr2 + der(q_fr2)/(w*fp3) = q_fr1 + der(q_fr1)/(w*fz);
    der(q_fr3) = w*fp4*(q_fr2 - q_fr3);
    // gain; at the limits of the supply the dominant pole is not driven any further
    q_sum = Avd0_val*q_fr3 + Avcm_val*(v_3 + m.v);
    q_sum_help = noEvent(if q_sum > vMax and q_fp1 >= vMax then vMax
      elseif q_sum < vMin and q_fp1 <= vMin then vMin else q_sum);
    der(q_fp1) = w*fp1*(q_sum_help - q_fp1);
    // slew rate
    slope = (q_fp1 - v_source)/Ts;
    der(v_source) = smooth(0, noEvent(if slope > abs(sr_p) then abs(sr_p) elseif slope < -abs(sr_m) then -abs(sr_m) else slope));
    // output stage
    outp.i = smooth(0, noEvent(max(-abs(Imaxso), min(abs(Imaxsi), (outp.v - v_source)/Rout))));
    p_supply.i = 0;
    m_supply.i = 0;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="OpAmpDetailed", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end OpAmpDetailed;

  model VariableResistor "Resistor set by a signal"
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    extends Interfaces.OnePort;
    extends Interfaces.ConditionalHeatPort(T=T_ref);
    SI.Resistance R_actual "Resistance at the temperature";
    Modelica.Blocks.Interfaces.RealInput R(unit="Ohm") "Resistance at T_ref"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    R_actual = R*(1 + alpha*(T_heatPort - T_ref));
    v = R_actual*i;
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-62,0}}, color={0,0,255}),
      Line(points={{62,0},{92,0}}, color={0,0,255}),
      Rectangle(extent={{-62,25},{62,-25}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-60,-50},{60,50}}, color={0,0,255}),
      Polygon(points={{60,50},{46,44},{54,36}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,-70},{150,-110}}, textString="%name", textColor={0,0,255})}));
  end VariableResistor;

  model VariableConductor "Conductor set by a signal"
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    extends Interfaces.OnePort;
    extends Interfaces.ConditionalHeatPort(T=T_ref);
    SI.Conductance G_actual "Conductance at the temperature";
    Modelica.Blocks.Interfaces.RealInput G(unit="S") "Conductance at T_ref"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
  equation
    G_actual = G/(1 + alpha*(T_heatPort - T_ref));
    i = G_actual*v;
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-62,0}}, color={0,0,255}),
      Line(points={{62,0},{92,0}}, color={0,0,255}),
      Rectangle(extent={{-62,25},{62,-25}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-60,-50},{60,50}}, color={0,0,255}),
      Polygon(points={{60,50},{46,44},{54,36}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,-70},{150,-110}}, textString="%name", textColor={0,0,255})}));
  end VariableConductor;

  model VariableCapacitor "Capacitor set by a signal"
    extends Interfaces.OnePort;
    Modelica.Blocks.Interfaces.RealInput C(unit="F") "Capacitance"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    parameter SI.Capacitance Cmin = Modelica.Constants.eps "Smallest capacitance";
    parameter SI.Voltage IC = 0 "Start value of the voltage";
    parameter Boolean UIC = false "Use IC";
    SI.ElectricCharge Q "Charge";
  initial equation
    if UIC then
      v = IC;
    end if;
  equation
    assert(C >= 0, "VariableCapacitor: negative capacitance");
    Q = v*noEvent(if C > Cmin then C else Cmin);
    der(Q) = i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-7,0}}, color={0,0,255}),
      Line(points={{7,0},{92,0}}, color={0,0,255}),
      Line(points={{-7,36},{-7,-36}}, color={0,0,255}),
      Line(points={{7,36},{7,-36}}, color={0,0,255}),
      Line(points={{-60,-50},{60,50}}, color={0,0,255}),
      Polygon(points={{60,50},{46,44},{54,36}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,-70},{150,-110}}, textString="%name", textColor={0,0,255})}));
  end VariableCapacitor;

  model VariableInductor "Inductor set by a signal"
    extends Interfaces.OnePort;
    Modelica.Blocks.Interfaces.RealInput L(unit="H") "Inductance"
      annotation(Placement(transformation(origin={0,120}, extent={{-20,-20},{20,20}}, rotation=-90)));
    parameter SI.Inductance Lmin = Modelica.Constants.eps "Smallest inductance";
    parameter SI.Current IC = 0 "Start value of the current";
    parameter Boolean UIC = false "Use IC";
    SI.MagneticFlux Psi "Flux";
  initial equation
    if UIC then
      i = IC;
    end if;
  equation
    assert(L >= 0, "VariableInductor: negative inductance");
    Psi = i*noEvent(if L > Lmin then L else Lmin);
    der(Psi) = v;
    annotation(Icon(graphics={
      Line(points={{-92,0},{-60,0}}, color={0,0,255}),
      Line(points={{60,0},{92,0}}, color={0,0,255}),
      Line(points={{-60,0},{-58,14},{-45,22},{-32,14},{-30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{-30,0},{-28,14},{-15,22},{-2,14},{0,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{0,0},{2,14},{15,22},{28,14},{30,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{30,0},{32,14},{45,22},{58,14},{60,0}}, color={0,0,255}, smooth=Smooth.Bezier),
      Line(points={{-60,-50},{60,50}}, color={0,0,255}),
      Polygon(points={{60,50},{46,44},{54,36}}, lineColor={0,0,255}, fillColor={0,0,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-150,-70},{150,-110}}, textString="%name", textColor={0,0,255})}));
  end VariableInductor;

  model Potentiometer "Resistor with a moving contact"
    parameter SI.Resistance R(start=1) "Resistance at T_ref";
    parameter SI.Temperature T_ref = 293.15 "Reference temperature";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    extends Interfaces.ConditionalHeatPort(T=T_ref);
    parameter Boolean useRinput = false "The contact is moved by a signal" annotation(Evaluate=true);
    parameter Real rConstant(final min=0, final max=1) = 0.5 "Place of the contact without signal, from pin_n";
    SI.Resistance Rp "Resistance between pin_p and contact";
    SI.Resistance Rn "Resistance between contact and pin_n";
    Interfaces.PositivePin pin_p "Positive end"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.PositivePin contact "Contact"
      annotation(Placement(transformation(extent={{-10,90},{10,110}})));
    Interfaces.NegativePin pin_n "Negative end"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Modelica.Blocks.Interfaces.RealInput r if useRinput "Place of the contact, from 0 at pin_n to 1 at pin_p"
      annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
  protected
    Modelica.Blocks.Interfaces.RealInput rInt "Place of the contact in use"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    Real place = min(1, max(0, rInt)) "Place within the limits";
  equation
    connect(r, rInt);
    if not useRinput then
      rInt = rConstant;
    end if;
    Rp = (1 - place)*R*(1 + alpha*(T_heatPort - T_ref));
    Rn = place*R*(1 + alpha*(T_heatPort - T_ref));
    pin_p.v - contact.v = Rp*pin_p.i;
    pin_n.v - contact.v = Rn*pin_n.i;
    contact.i = -(pin_p.i + pin_n.i);
    LossPower = Rp*pin_p.i^2 + Rn*pin_n.i^2;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="Potentiometer", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end Potentiometer;

  model GeneralCurrentToVoltageAdaptor "Two pins as signals: current in, voltage out"
    extends Modelica.Blocks.Interfaces.Adaptors.FlowToPotentialAdaptor(final Name_p="v", final Name_pder="dv", final Name_pder2="d2v", final Name_f="i",
      final Name_fder="di", final Name_fder2="d2i", final use_pder2=false, final use_fder2=false,
      p(unit="V"), pder(unit="V/s"), f(unit="A"), fder(unit="A/s"));
    SI.Voltage v = pin_p.v - pin_n.v "Voltage";
    SI.Current i = pin_p.i "Current from pin_p to pin_n";
    Interfaces.PositivePin pin_p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin pin_n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    pin_n.i = -pin_p.i;
    y = v;
    u = i;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralCurrentToVoltageAdaptor", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralCurrentToVoltageAdaptor;

  model GeneralVoltageToCurrentAdaptor "Two pins as signals: voltage in, current out"
    extends Modelica.Blocks.Interfaces.Adaptors.PotentialToFlowAdaptor(final Name_p="v", final Name_pder="dv", final Name_pder2="d2v", final Name_f="i",
      final Name_fder="di", final Name_fder2="d2i", final use_pder2=false, final use_fder2=false,
      p(unit="V"), pder(unit="V/s"), f(unit="A"), fder(unit="A/s"));
    SI.Voltage v = pin_p.v - pin_n.v "Voltage";
    SI.Current i = pin_p.i "Current from pin_p to pin_n";
    Interfaces.PositivePin pin_p "Positive pin"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin pin_n "Negative pin"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
  equation
    pin_n.i = -pin_p.i;
    y = i;
    u = v;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="GeneralVoltageToCurrentAdaptor", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end GeneralVoltageToCurrentAdaptor;
end Basic;
