within Modelica.Electrical.Analog;
package Lines "Transmission lines"
  model OLine "Lossy line as a chain of sections"
    Interfaces.Pin p1 "Left end"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.Pin p2 "Right end"
      annotation(Placement(transformation(extent={{90,40},{110,60}})));
    Interfaces.Pin p3 "Return"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    parameter Real r(final min=Modelica.Constants.small, unit="Ohm/m", start=1) "Resistance per length";
    parameter Real l(final min=Modelica.Constants.small, unit="H/m", start=1) "Inductance per length";
    parameter Real g(final min=Modelica.Constants.small, unit="S/m", start=1) "Conductance per length";
    parameter Real c(final min=Modelica.Constants.small, unit="F/m", start=1) "Capacitance per length";
    parameter SI.Length length(final min=Modelica.Constants.small, start=1) "Length";
    parameter Integer N(final min=1, start=1) "Number of sections";
    parameter SI.LinearTemperatureCoefficient alpha_R = 0 "Temperature coefficient of the resistance";
    parameter SI.LinearTemperatureCoefficient alpha_G = 0 "Temperature coefficient of the conductance";
    parameter Boolean useHeatPort = false "There is a heat port" annotation(Evaluate=true);
    parameter SI.Temperature T = 293.15 "Temperature without heat port";
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort if useHeatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    SI.Voltage v13 = p1.v - p3.v "Voltage at the left end";
    SI.Voltage v23 = p2.v - p3.v "Voltage at the right end";
    SI.Current i1 = p1.i "Current into the left end";
    SI.Current i2 = p2.i "Current into the right end";
    output SI.Voltage v[N] = G.v "Voltages at the nodes";
    output SI.Current i[N + 1] = R.i "Currents between the nodes";
  protected
    // half a section at either end
    parameter SI.Length part[N + 1] = {if k == 1 or k == N + 1 then length/(2*N) else length/N for k in 1:N + 1};
    Basic.Resistor R[N + 1](R=r*part, each T_ref=T_ref, each alpha=alpha_R, each useHeatPort=useHeatPort, each T=T);
    Basic.Inductor L[N + 1](L=l*part);
    Basic.Capacitor C[N](each C=c*length/N);
    Basic.Conductor G[N](each G=g*length/N, each T_ref=T_ref, each alpha=alpha_G, each useHeatPort=useHeatPort, each T=T);
  equation
    connect(p1, R[1].p);
    for k in 1:N + 1 loop
      connect(R[k].n, L[k].p);
      connect(heatPort, R[k].heatPort);
    end for;
    for k in 1:N loop
      connect(L[k].n, R[k + 1].p);
      connect(L[k].n, C[k].p);
      connect(L[k].n, G[k].p);
      connect(C[k].n, p3);
      connect(G[k].n, p3);
      connect(heatPort, G[k].heatPort);
    end for;
    connect(L[N + 1].n, p2);
  end OLine;

  model M_OLine "Several coupled lossy lines as a chain of sections"
    parameter SI.Length length(final min=Modelica.Constants.small) = 0.1 "Length";
    parameter Integer N(final min=2) = 5 "Number of sections";
    parameter Integer lines(final min=2) = 4 "Number of lines";
    parameter Real r[lines](each final min=Modelica.Constants.small, each unit="Ohm/m") = {4.76e5, 1.72e5, 1.72e5, 1.72e5}
      "Resistances per length";
    parameter Real l[div(lines*(lines + 1), 2)](each final min=Modelica.Constants.small, each unit="H/m") =
      {5.98e-7, 4.44e-7, 4.39e-7, 3.99e-7, 5.81e-7, 4.09e-7, 4.23e-7, 5.96e-7, 4.71e-7, 6.06e-7}
      "Inductances per length: upper triangle of the matrix, row by row";
    parameter Real g[div(lines*(lines + 1), 2)](each final min=Modelica.Constants.small, each unit="S/m") =
      {8.05e-6, 3.42e-5, 2.91e-5, 1.76e-6, 9.16e-6, 7.12e-6, 2.43e-5, 5.93e-6, 4.19e-5, 6.64e-6}
      "Conductances per length: to the return on the diagonal, between lines elsewhere";
    parameter Real c[div(lines*(lines + 1), 2)](each final min=Modelica.Constants.small, each unit="F/m") =
      {2.38e-11, 1.01e-10, 8.56e-11, 5.09e-12, 2.71e-11, 2.09e-11, 7.16e-11, 1.83e-11, 1.23e-10, 2.07e-11}
      "Capacitances per length: to the return on the diagonal, between lines elsewhere";
    parameter Boolean useInternalGround = true "The return is grounded inside" annotation(Evaluate=true);
    parameter SI.LinearTemperatureCoefficient alpha_R = 0 "Temperature coefficient of the resistances";
    parameter SI.LinearTemperatureCoefficient alpha_G = 0 "Temperature coefficient of the conductances";
    extends Interfaces.ConditionalHeatPort;
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    Interfaces.PositivePin p[lines] "Left ends"
      annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
    Interfaces.NegativePin n[lines] "Right ends"
      annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    Interfaces.NegativePin refPin(final v=vRef, final i=-(sum(p.i) + sum(n.i))) if not useInternalGround "Return";
  protected
    parameter Integer at[lines, lines] =
      {{div((min(a, b) - 1)*(2*lines - min(a, b)), 2) + max(a, b) for b in 1:lines} for a in 1:lines}
      "Place of a matrix element in the triangle";
    parameter SI.Length part[N + 1] = {if k == 1 or k == N + 1 then length/(2*N) else length/N for k in 1:N + 1}
      "Lengths of the series parts";
    SI.Current i[N + 1, lines](each start=0, each fixed=true) "Currents in the series parts";
    SI.Voltage v[N, lines](each start=0) "Voltages from the nodes to the return";
    SI.ElectricPotential vRef "Potential of the return";
    Real fR = 1 + alpha_R*(T_heatPort - T_ref) "Temperature factor of the resistances";
    Real fG = 1 + alpha_G*(T_heatPort - T_ref) "Temperature factor of the conductances";
  equation
    if useInternalGround then
      vRef = 0;
    end if;
    for a in 1:lines loop
      p[a].i = i[1, a];
      n[a].i = -i[N + 1, a];
      for k in 1:N + 1 loop
        (if k == 1 then p[a].v - vRef else v[max(k - 1, 1), a]) - (if k == N + 1 then n[a].v - vRef else v[min(k, N), a])
          = part[k]*(fR*r[a]*i[k, a] + sum(l[at[a, b]]*der(i[k, b]) for b in 1:lines));
      end for;
      for k in 1:N loop
        i[k, a] - i[k + 1, a] = length/N*sum(
          if a == b then c[at[a, a]]*der(v[k, a]) + g[at[a, a]]/fG*v[k, a]
          else c[at[a, b]]*(der(v[k, a]) - der(v[k, b])) + g[at[a, b]]/fG*(v[k, a] - v[k, b]) for b in 1:lines);
      end for;
    end for;
    LossPower = sum(part[k]*fR*r[a]*i[k, a]^2 for a in 1:lines, k in 1:N + 1)
      + length/N/fG*sum(if a == b then g[at[a, a]]*v[k, a]^2 else g[at[a, b]]*(v[k, a] - v[k, b])^2/2
        for a in 1:lines, b in 1:lines, k in 1:N);
  end M_OLine;

  model ULine "Line with resistance and capacitance as a chain of sections"
    Interfaces.Pin p1 "Left end"
      annotation(Placement(transformation(extent={{-110,40},{-90,60}})));
    Interfaces.Pin p2 "Right end"
      annotation(Placement(transformation(extent={{90,40},{110,60}})));
    Interfaces.Pin p3 "Return"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    parameter Real r(final min=Modelica.Constants.small, unit="Ohm/m", start=1) "Resistance per length";
    parameter Real c(final min=Modelica.Constants.small, unit="F/m", start=1) "Capacitance per length";
    parameter SI.Length length(final min=Modelica.Constants.small, start=1) "Length";
    parameter Integer N(final min=1, start=1) "Number of sections";
    parameter SI.LinearTemperatureCoefficient alpha = 0 "Temperature coefficient of the resistance";
    parameter Boolean useHeatPort = false "There is a heat port" annotation(Evaluate=true);
    parameter SI.Temperature T = 293.15 "Temperature without heat port";
    parameter SI.Temperature T_ref = 300.15 "Reference temperature";
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort if useHeatPort "Heat port"
      annotation(Placement(transformation(extent={{-10,-110},{10,-90}})));
    SI.Voltage v13 = p1.v - p3.v "Voltage at the left end";
    SI.Voltage v23 = p2.v - p3.v "Voltage at the right end";
    SI.Current i1 = p1.i "Current into the left end";
    SI.Current i2 = p2.i "Current into the right end";
    Basic.Resistor R[N + 1](R={if k == 1 or k == N + 1 then r*length/(2*N) else r*length/N for k in 1:N + 1},
      each T_ref=T_ref, each alpha=alpha, each useHeatPort=useHeatPort, each T=T) "Series parts";
    Basic.Capacitor C[N](each C=c*length/N) "Parallel parts";
  equation
    connect(p1, R[1].p);
    for k in 1:N loop
      connect(R[k].n, R[k + 1].p);
      connect(R[k].n, C[k].p);
      connect(C[k].n, p3);
    end for;
    connect(R[N + 1].n, p2);
    for k in 1:N + 1 loop
      connect(heatPort, R[k].heatPort);
    end for;
  end ULine;

  partial model DelayLine "Waves that travel along a line without losses"
    extends Interfaces.TwoPort;
    parameter SI.Resistance Z0(start=1) "Characteristic impedance";
    SI.Voltage es(start=0) "Wave that arrives at the left end";
    SI.Voltage er(start=0) "Wave that arrives at the right end";
  protected
    parameter SI.Time delayTime "Travelling time";
  equation
    // each end: voltage = arriving wave + Z0*current; leaving wave = voltage + Z0*current
    v1 = es + Z0*i1;
    v2 = er + Z0*i2;
    es = delay(v2 + Z0*i2, delayTime);
    er = delay(v1 + Z0*i1, delayTime);
  end DelayLine;

  model TLine "Line without losses, given by delay or by frequency and normalized length"
    extends DelayLine(final delayTime=if F > 0 then NL/F else TD);
    parameter SI.Time TD = 0 "Travelling time";
    parameter SI.Frequency F = 0 "Frequency; if positive, used with NL instead of TD";
    parameter Real NL = 1/4 "Length in wavelengths at F";
  equation
    assert(Z0 > 0, "TLine: Z0 must be positive");
    assert(F > 0 or TD > 0, "TLine: F or TD must be positive");
  end TLine;

  model TLine1 "Line without losses, given by delay"
    extends DelayLine(final delayTime=TD);
    parameter SI.Time TD(start=1) "Travelling time";
  end TLine1;

  model TLine2 "Line without losses, given by frequency and normalized length"
    extends DelayLine(final delayTime=NL/F);
    parameter SI.Frequency F(start=1) "Frequency";
    parameter Real NL(start=1) "Length in wavelengths at F";
  end TLine2;

  model TLine3 "Quarter-wave line without losses"
    extends DelayLine(final delayTime=1/(4*F));
    parameter SI.Frequency F(start=1) "Frequency";
  end TLine3;
end Lines;
