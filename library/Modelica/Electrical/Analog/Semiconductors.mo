within Modelica.Electrical.Analog;
package Semiconductors "Diodes, transistors and thyristors"
  function exlin "Exponential that goes on as a straight line above Maxexp"
    input Real x "Argument";
    input Real Maxexp "Largest exponent";
    output Real z "Value";
  algorithm
    z := if x > Maxexp then exp(Maxexp)*(1 + x - Maxexp) else exp(x);
    annotation(smoothOrder=1);
  end exlin;

  function exlin2 "Exponential that goes on as a straight line below Minexp and above Maxexp"
    input Real x "Argument";
    input Real Minexp "Smallest exponent";
    input Real Maxexp "Largest exponent";
    output Real z "Value";
  algorithm
    z := if x < Minexp then exp(Minexp)*(1 + x - Minexp)
      elseif x > Maxexp then exp(Maxexp)*(1 + x - Maxexp) else exp(x);
    annotation(smoothOrder=1);
  end exlin2;

  function depletion "Relative capacitance (1 - x)^(-y) of a depletion layer, straight for x > 0"
    input Real x "Voltage over diffusion voltage";
    input Real y "Grading exponent";
    output Real z "Relative capacitance";
  algorithm
    z := if x > 0 then 1 + y*x else (1 - x)^(-y);
    annotation(smoothOrder=1);
  end depletion;

  model Diode "Diode with exponential characteristic and parallel resistor"
    extends Interfaces.OnePort;
    parameter SI.Current Ids = 1e-6 "Saturation current";
    parameter Boolean useTemperatureDependency = false "The current depends on the temperature" annotation(Evaluate=true);
    parameter SI.Voltage Vt = 0.04 "Temperature voltage";
    parameter Real Maxexp(final min=Modelica.Constants.small) = 15 "Straight characteristic above this exponent";
    parameter SI.Resistance R = 1e8 "Parallel resistance";
    parameter Real EG = 1.11 "Energy gap";
    parameter Real N = 1 "Emission coefficient";
    parameter SI.Temperature TNOM = 300.15 "Temperature of the parameters";
    parameter Real XTI = 3 "Temperature exponent of the saturation current";
    extends Interfaces.ConditionalHeatPort(useHeatPort=useTemperatureDependency);
    SI.Voltage vt_t(start=0.026) "Temperature voltage at the temperature";
    SI.Current id "Current of the junction before the temperature correction";
  protected
    Real factor "Temperature correction of the saturation current";
  equation
    vt_t = Modelica.Constants.k/Modelica.Constants.q*T_heatPort;
    if useTemperatureDependency then
      id = Ids*(exlin(v/(N*vt_t), Maxexp) - 1);
      factor = (T_heatPort/TNOM)^(XTI/N)*exp((T_heatPort/TNOM - 1)*EG/(N*vt_t));
    else
      id = Ids*(exlin(v/Vt, Maxexp) - 1);
      factor = 1;
    end if;
    i = smooth(1, factor*id + v/R);
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,255})}));
  end Diode;

  model Diode2 "Diode with series resistance and breakdown"
    extends Interfaces.OnePort;
    extends Interfaces.ConditionalHeatPort(T=293.15);
    parameter SI.Voltage Vf = 0.7 "Forward voltage";
    parameter SI.Current Ids = 1e-13 "Saturation current";
    parameter SI.Resistance Rs = 16 "Series resistance";
    parameter SI.Voltage Vt = Modelica.Constants.R*T/Modelica.Constants.F "Temperature voltage";
    parameter Real N = 1 "Emission coefficient";
    parameter SI.Voltage Bv = 100 "Breakdown voltage";
    parameter SI.Conductance Gp = 1e-6 "Parallel conductance";
    SI.Voltage vd "Voltage of the junction";
    SI.Current id "Current of the junction";
  protected
    SI.Voltage nVt = N*(if useHeatPort then Modelica.Constants.R*T_heatPort/Modelica.Constants.F else Vt)
      "Temperature voltage times emission coefficient";
    SI.Voltage vLin = Vf + nVt "Straight characteristic above this voltage";
  equation
    // the breakdown branch mirrors the forward branch at -Bv and meets it at -Bv/2
    id = smooth(1, if vd < -Bv/2 then -Ids*(exp(-(vd + Bv)/nVt) + 1 - 2*exp(-Bv/(2*nVt)))
      elseif vd < vLin then Ids*(exp(vd/nVt) - 1)
      else Ids*(exp(vLin/nVt)*(1 + (vd - vLin)/nVt) - 1));
    v = vd + Rs*id;
    i = id + Gp*v;
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,255})}));
  end Diode2;

  model ZDiode "Zener diode"
    extends Interfaces.OnePort;
    parameter SI.Current Ids = 1e-6 "Saturation current";
    parameter SI.Voltage Vt = 0.04 "Temperature voltage";
    parameter Real Maxexp(final min=Modelica.Constants.small) = 30 "Straight characteristic above this exponent";
    parameter SI.Resistance R = 1e8 "Parallel resistance";
    parameter SI.Voltage Bv = 5.1 "Breakdown voltage";
    parameter SI.Current Ibv = 0.7 "Current at the breakdown voltage";
    parameter Real Nbv = 0.74 "Emission coefficient of the breakdown";
    extends Interfaces.ConditionalHeatPort(T=293.15);
  protected
    Real forward = v/Vt "Exponent of the forward current";
    Real backward = -(v + Bv)/(Nbv*Vt) "Exponent of the breakdown current";
  equation
    // only one of the two exponentials matters where the characteristic is straight
    i = smooth(1, v/R + (if forward > Maxexp then Ids*(exlin(forward, Maxexp) - 1)
      elseif backward > Maxexp then -Ids - Ibv*exlin(backward, Maxexp)
      else Ids*(exp(forward) - 1) - Ibv*exp(backward)));
    LossPower = v*i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Line(points={{26,34},{40,34}}, color={0,0,255}),
      Line(points={{26,-34},{12,-34}}, color={0,0,255}),
      Text(extent={{-150,90},{150,50}}, textString="%name", textColor={0,0,255})}));
  end ZDiode;

  partial model MOSFET "Field effect transistor for both polarities"
    Interfaces.Pin D "Drain"
      annotation(Placement(transformation(extent={{90,50},{110,70}})));
    Interfaces.Pin G "Gate"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.Pin S "Source"
      annotation(Placement(transformation(extent={{90,-70},{110,-50}})));
    Interfaces.Pin B "Bulk"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    parameter SI.Length W = 20e-6 "Width";
    parameter SI.Length L = 6e-6 "Length";
    parameter SI.Transconductance Beta "Transconductance parameter";
    parameter SI.Voltage Vt "Threshold voltage at zero bias";
    parameter Real K2 "Influence of the bulk on the threshold";
    parameter Real K5 "Reduction of the pinch-off region";
    parameter SI.Length dW = -2.5e-6 "Narrowing of the channel";
    parameter SI.Length dL "Shortening of the channel";
    parameter SI.Resistance RDS = 1e7 "Resistance between drain and source";
    parameter Boolean useTemperatureDependency = false "The parameters depend on the temperature" annotation(Evaluate=true);
    parameter SI.Temperature Tnom = 300.15 "Temperature of the parameters";
    parameter Real kvt "Temperature coefficient of the threshold";
    parameter Real kk2 "Temperature coefficient of K2";
    extends Interfaces.ConditionalHeatPort(useHeatPort=useTemperatureDependency);
  protected
    constant Integer polarity = 1 "1 for an n channel, -1 for a p channel";
    Real beta_channel "Transconductance parameter of the channel at the temperature";
    SI.Voltage vt_t "Threshold voltage at the temperature";
    Real k2_t "K2 at the temperature";
    // all voltages are those of an n channel; the lower end of the channel acts as source
    SI.Voltage us "Potential of the lower end";
    SI.Voltage u_channel "Voltage along the channel";
    SI.Voltage ubs "Bulk bias";
    SI.Voltage ug "Gate voltage over threshold voltage, both signs";
    SI.Voltage u_over "Gate voltage above threshold";
    SI.Voltage ue "Voltage along the part of the channel that is not pinched off";
    SI.Current i_channel "Current through the channel towards the lower end";
  equation
    beta_channel = Beta*(W + dW)/(L + dL)*(if useTemperatureDependency then (T_heatPort/Tnom)^(-1.5) else 1);
    vt_t = Vt*(if useTemperatureDependency then 1 + kvt*(T_heatPort - Tnom) else 1);
    k2_t = K2*(if useTemperatureDependency then 1 + kk2*(T_heatPort - Tnom) else 1);
    assert(L + dL > 0 and W + dW > 0, "The channel has no length or no width");
    us = polarity*smooth(0, if polarity*D.v < polarity*S.v then D.v else S.v);
    u_channel = smooth(0, if D.v < S.v then S.v - D.v else D.v - S.v);
    ubs = smooth(0, if polarity*B.v < us then polarity*B.v - us else 0);
    ug = K5*(polarity*(G.v - vt_t) - us + k2_t*ubs);
    u_over = smooth(0, if ug > 0 then ug else 0);
    ue = smooth(0, if u_channel < u_over then u_channel else u_over);
    i_channel = beta_channel*ue*(u_over - ue/2) + u_channel/RDS;
    D.i = smooth(0, if D.v < S.v then -i_channel else i_channel);
    S.i = -D.i;
    G.i = 0;
    B.i = 0;
    LossPower = u_channel*i_channel;
  end MOSFET;

  model NMOS "n-channel field effect transistor"
    extends MOSFET(Beta=0.041e-3, Vt=0.8, K2=1.144, K5=0.7311, dL=-1.5e-6, kvt=-6.96e-3, kk2=6e-4, final polarity=1);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="NMOS", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end NMOS;

  model PMOS "p-channel field effect transistor"
    extends MOSFET(Beta=0.0105e-3, Vt=-1.0, K2=0.41, K5=0.839, dL=-2.1e-6, kvt=-2.9e-3, kk2=6.2e-4, final polarity=-1);
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="PMOS", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end PMOS;

  partial model BipolarTransistor "Transport model of Ebers and Moll for both polarities"
    parameter Real Bf = 50 "Forward current gain";
    parameter Real Br = 0.1 "Reverse current gain";
    parameter SI.Current Is = 1e-16 "Saturation current";
    parameter SI.InversePotential Vak = 0.02 "Inverse of the Early voltage";
    parameter SI.Time Tauf = 0.12e-9 "Forward transit time";
    parameter SI.Time Taur = 5e-9 "Reverse transit time";
    parameter SI.Capacitance Ccs = 1e-12 "Capacitance between collector and substrate";
    parameter SI.Capacitance Cje = 0.4e-12 "Depletion capacitance of the emitter at zero voltage";
    parameter SI.Capacitance Cjc = 0.5e-12 "Depletion capacitance of the collector at zero voltage";
    parameter SI.Voltage Phie = 0.8 "Diffusion voltage of the emitter";
    parameter Real Me = 0.4 "Grading exponent of the emitter";
    parameter SI.Voltage Phic = 0.8 "Diffusion voltage of the collector";
    parameter Real Mc = 0.333 "Grading exponent of the collector";
    parameter SI.Conductance Gbc = 1e-15 "Conductance of the collector junction";
    parameter SI.Conductance Gbe = 1e-15 "Conductance of the emitter junction";
    parameter Real EMin = -100 "Straight characteristic below this exponent";
    parameter Real EMax = 40 "Straight characteristic above this exponent";
    parameter Boolean useTemperatureDependency = false "The parameters depend on the temperature" annotation(Evaluate=true);
    parameter SI.Voltage Vt = 0.02585 "Temperature voltage";
    parameter SI.Temperature Tnom = 300.15 "Temperature of the parameters";
    parameter Real XTI = 3 "Temperature exponent of the saturation current";
    parameter Real XTB = 0 "Temperature exponent of the current gains";
    parameter SI.Voltage EG = 1.11 "Energy gap";
    parameter Real NF = 1.0 "Forward emission coefficient";
    parameter Real NR = 1.0 "Reverse emission coefficient";
    parameter SI.Voltage IC = 0 "Start value of the voltage from collector to substrate";
    parameter Boolean UIC = false "Use IC";
    parameter Boolean useSubstrate = false "The substrate has a pin; otherwise it is grounded" annotation(Evaluate=true);
    extends Interfaces.ConditionalHeatPort(useHeatPort=useTemperatureDependency);
    SI.Voltage vcs "Voltage from collector to substrate";
    Real qbk "Influence of the base width on the transport current";
    SI.Capacitance Capcje "Depletion capacitance of the emitter";
    SI.Capacitance Capcjc "Depletion capacitance of the collector";
    SI.Current is_t "Saturation current at the temperature";
    Real br_t "Reverse current gain at the temperature";
    Real bf_t "Forward current gain at the temperature";
    SI.Voltage vt_t(start=0.026) "Temperature voltage at the temperature";
    SI.Voltage vS "Potential of the substrate";
    SI.Current iS "Current into the substrate";
    Interfaces.Pin C "Collector"
      annotation(Placement(transformation(extent={{90,50},{110,70}})));
    Interfaces.Pin B "Base"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.Pin E "Emitter"
      annotation(Placement(transformation(extent={{90,-70},{110,-50}})));
    Interfaces.NegativePin S(final i=iS, final v=vS) if useSubstrate "Substrate"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
  protected
    constant Integer polarity = 1 "1 for npn, -1 for pnp";
    // voltages and currents of an npn transistor
    SI.Voltage u_c "Forward voltage of the collector junction";
    SI.Voltage u_e "Forward voltage of the emitter junction";
    SI.Current j_c "Current of the collector junction";
    SI.Current j_e "Current of the emitter junction";
    SI.Capacitance c_c "Capacitance of the collector junction";
    SI.Capacitance c_e "Capacitance of the emitter junction";
    SI.Current transport "Current from collector to emitter";
    Real expC "Exponential of the collector junction";
    Real expE "Exponential of the emitter junction";
    Real tRel = T_heatPort/Tnom "Relative temperature";
  initial equation
    if UIC then
      vcs = IC;
    end if;
  equation
    u_c = polarity*(B.v - C.v);
    u_e = polarity*(B.v - E.v);
    vcs = C.v - vS;
    if useTemperatureDependency then
      vt_t = Modelica.Constants.k/Modelica.Constants.q*T_heatPort;
      is_t = Is*tRel^XTI*exlin2((tRel - 1)*EG/vt_t, EMin, EMax);
      br_t = Br*tRel^XTB;
      bf_t = Bf*tRel^XTB;
    else
      vt_t = Vt;
      is_t = Is;
      br_t = Br;
      bf_t = Bf;
    end if;
    expC = exlin2(u_c/(NR*vt_t), EMin, EMax);
    expE = exlin2(u_e/(NF*vt_t), EMin, EMax);
    j_c = is_t*(expC - 1) + Gbc*u_c;
    j_e = is_t*(expE - 1) + Gbe*u_e;
    Capcjc = Cjc*depletion(u_c/Phic, Mc);
    Capcje = Cje*depletion(u_e/Phie, Me);
    c_c = Capcjc + Taur*is_t/(NR*vt_t)*expC;
    c_e = Capcje + Tauf*is_t/(NF*vt_t)*expE;
    qbk = 1 - Vak*u_c;
    transport = qbk*(j_e - j_c);
    iS = -Ccs*der(vcs);
    if not useSubstrate then
      vS = 0;
    end if;
    B.i = polarity*(j_e/bf_t + j_c/br_t + c_e*der(u_e) + c_c*der(u_c));
    C.i = polarity*(transport - j_c/br_t - c_c*der(u_c)) - iS;
    E.i = -(B.i + C.i + iS);
    LossPower = u_c*j_c/br_t + u_e*j_e/bf_t + transport*(u_e - u_c);
  end BipolarTransistor;

  model NPN "npn transistor"
    extends BipolarTransistor(final polarity=1);
    SI.Voltage vbc = u_c "Voltage from base to collector";
    SI.Voltage vbe = u_e "Voltage from base to emitter";
    SI.Current ibc = j_c "Current of the collector junction";
    SI.Current ibe = j_e "Current of the emitter junction";
    SI.Capacitance cbc = c_c "Capacitance of the collector junction";
    SI.Capacitance cbe = c_e "Capacitance of the emitter junction";
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="NPN", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end NPN;

  model PNP "pnp transistor"
    extends BipolarTransistor(final polarity=-1);
    SI.Voltage vcb = u_c "Voltage from collector to base";
    SI.Voltage veb = u_e "Voltage from emitter to base";
    SI.Current icb = j_c "Current of the collector junction";
    SI.Current ieb = j_e "Current of the emitter junction";
    SI.Capacitance ccb = c_c "Capacitance of the collector junction";
    SI.Capacitance ceb = c_e "Capacitance of the emitter junction";
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="PNP", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end PNP;

  model Thyristor "Thyristor with gate, turn-on and turn-off times"
    parameter SI.Voltage VDRM(final min=0) = 100 "Forward breakover voltage";
    parameter SI.Voltage VRRM(final min=0) = 100 "Reverse breakdown voltage";
    parameter SI.Current IDRM = 0.1 "Saturation current";
    parameter SI.Voltage VTM = 1.7 "Voltage when conducting ITM";
    parameter SI.Current IH = 6e-3 "Holding current";
    parameter SI.Current ITM = 25 "Conducted current";
    parameter SI.Voltage VGT = 0.7 "Gate trigger voltage";
    parameter SI.Current IGT = 5e-3 "Gate trigger current";
    parameter SI.Time TON = 1e-6 "Turn-on time";
    parameter SI.Time TOFF = 15e-6 "Turn-off time";
    parameter SI.Voltage Vt = 0.04 "Temperature voltage";
    parameter Real Nbv = 0.74 "Emission coefficient of the reverse breakdown";
    parameter SI.Voltage vRef = 0.65 "Knee of the gate characteristic";
    extends Interfaces.ConditionalHeatPort;
    SI.Current iGK "Gate current";
    SI.Voltage vGK "Voltage from gate to cathode";
    SI.Voltage vAK "Voltage from anode to cathode";
    SI.Voltage vControl(start=0) "Degree of conduction";
    SI.Voltage vContot "Goal of the degree of conduction";
    SI.Voltage vConmain "Part of the goal that keeps the thyristor on";
    Interfaces.PositivePin Anode "Anode"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin Cathode "Cathode"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin Gate "Gate"
      annotation(Placement(transformation(extent={{44,82},{64,102}})));
  protected
    parameter SI.Voltage Von = 5 "Conducting above this degree";
    parameter SI.Voltage Voff = 1.5 "Blocking below this degree";
    parameter SI.Resistance Ron = (VTM - 0.7)/ITM "Resistance when conducting";
    parameter SI.Resistance Roff = VDRM^2/VTM/IH "Resistance when blocking";
    Real x = (vControl - (Von + Voff)/2)/(Von - Voff) "Place between blocking (-1/2) and conducting (1/2)";
    SI.Voltage trigger "Part of the goal from the gate";
  equation
    vAK = Anode.v - Cathode.v;
    vGK = Gate.v - Cathode.v;
    iGK = Gate.i;
    Cathode.i = -(Anode.i + Gate.i);
    // gate: two straight lines
    vGK = smooth(0, if vGK < vRef then VGT/IGT*iGK else vRef^2/VGT + (VGT - vRef)/IGT*iGK);
    // goal of the conduction, reached with different time constants
    trigger = vAK*smooth(0, if iGK < 0.95*IGT then 0 elseif iGK < 0.95*IGT + 1e-3 then 1e4*(iGK - 0.95*IGT) else 10);
    vConmain = if Anode.i > IH or vAK > VDRM then Von else 0;
    vContot = vConmain + trigger;
    der(vControl) = (vContot - vControl)/(if vContot > vControl then 1.87*TON else 0.638*TOFF);
    // the logarithm of the resistance changes along a cubic between blocking and conducting
    Anode.i = smooth(1, if vAK < -VRRM then -VRRM/Roff*exp(-(vAK + VRRM)/(Nbv*Vt))
      elseif vControl < Voff then vAK/Roff
      elseif vControl < Von then vAK/(sqrt(Ron*Roff)*(Ron/Roff)^((3*x - 4*x^3)/2))
      else vAK/Ron);
    LossPower = Anode.v*Anode.i + Cathode.v*Cathode.i + Gate.v*Gate.i;
    annotation(Icon(graphics={
      Line(points={{-92,0},{92,0}}, color={0,0,255}),
      Polygon(points={{26,0},{-26,34},{-26,-34}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{26,34},{26,-34}}, color={0,0,255}),
      Line(points={{-26,0},{26,0}}, color={0,0,255}),
      Line(points={{26,0},{54,46},{54,92}}, color={0,0,255}),
      Text(extent={{-150,-50},{150,-90}}, textString="%name", textColor={0,0,255})}));
  end Thyristor;

  model SimpleTriac "Two thyristors against each other with a common gate"
    parameter SI.Voltage VDRM(final min=0) = 100 "Forward breakover voltage";
    parameter SI.Voltage VRRM(final min=0) = 100 "Reverse breakdown voltage";
    parameter SI.Current IDRM = 0.1 "Saturation current";
    parameter SI.Voltage VTM = 1.7 "Voltage when conducting ITM";
    parameter SI.Current IH = 6e-3 "Holding current";
    parameter SI.Current ITM = 25 "Conducted current";
    parameter SI.Voltage VGT = 0.7 "Gate trigger voltage";
    parameter SI.Current IGT = 5e-3 "Gate trigger current";
    parameter SI.Time TON = 1e-6 "Turn-on time";
    parameter SI.Time TOFF = 15e-6 "Turn-off time";
    parameter SI.Voltage Vt = 0.04 "Temperature voltage";
    parameter Real Nbv = 0.74 "Emission coefficient of the reverse breakdown";
    extends Interfaces.ConditionalHeatPort;
    Interfaces.NegativePin n "Cathode"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.PositivePin p "Anode"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.PositivePin g "Gate"
      annotation(Placement(transformation(extent={{50,-100},{70,-80}})));
    Thyristor thyristor(VDRM=VDRM, VRRM=VRRM, IDRM=IDRM, VTM=VTM, IH=IH, ITM=ITM, VGT=VGT, IGT=IGT,
      TON=TON, TOFF=TOFF, Vt=Vt, Nbv=Nbv, T=T) "Conducts from n to p";
    Thyristor thyristor1(VDRM=VDRM, VRRM=VRRM, IDRM=IDRM, VTM=VTM, IH=IH, ITM=ITM, VGT=VGT, IGT=IGT,
      TON=TON, TOFF=TOFF, Vt=Vt, Nbv=Nbv, T=T) "Conducts from p to n";
    Ideal.IdealDiode idealDiode(Vknee=0) "Gate of thyristor";
    Ideal.IdealDiode idealDiode1(Vknee=0) "Gate of thyristor1";
  equation
    connect(p, thyristor1.Anode);
    connect(thyristor1.Cathode, n);
    connect(n, thyristor.Anode);
    connect(thyristor.Cathode, p);
    connect(g, idealDiode.p);
    connect(idealDiode.n, thyristor.Gate);
    connect(g, idealDiode1.p);
    connect(idealDiode1.n, thyristor1.Gate);
    LossPower = p.v*p.i + n.v*n.i + g.v*g.i;
    annotation(Icon(graphics={
      Rectangle(extent={{-90,60},{90,-60}}, lineColor={0,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{-84,30},{84,-30}}, textString="SimpleTriac", textColor={0,0,255}),
      Text(extent={{-150,106},{150,66}}, textString="%name", textColor={0,0,255})}));
  end SimpleTriac;
end Semiconductors;
