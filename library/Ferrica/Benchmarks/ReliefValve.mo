within Ferrica.Benchmarks;
package ReliefValve "Volume and pressure relief valve with three forms of the line and two of the derivative"
  // Run for example  Ferrica.Benchmarks.ReliefValve.DerInline.DelayEuler.
  // Delay: the volume is a line with delay; NoDelay: an ideal capacity; Disc: a sampled line.
  // DerBuiltin: der() and reinit at the stops; DerInline: differences over T in place of derivatives.

  package Basic "Ports and all components but the volume"
    connector PortQ "Port of a component that gives pressure and flow"
      output Real p(unit="Pa") "Pressure";
      output Real q(unit="m3/s") "Flow into the line";
      input Real c(unit="Pa") "Arriving wave";
      input Real Zc(unit="Pa.s/m3") "Impedance of the line";
    end PortQ;

    connector PortC "Port of a component that gives wave and impedance"
      input Real p(unit="Pa") "Pressure";
      input Real q(unit="m3/s") "Flow into the line";
      output Real c(unit="Pa") "Wave";
      output Real Zc(unit="Pa.s/m3") "Impedance";
    end PortC;

    model FlowSource "Constant flow"
      PortQ source "Port";
      parameter Real flowVal(unit="m3/s") "Flow";
    equation
      source.q = flowVal;
      source.p = source.c + source.Zc*source.q;
    end FlowSource;

    model PressureSource "Constant pressure"
      PortC pressure "Port";
      parameter Real P(unit="Pa") "Pressure";
    equation
      pressure.c = P;
      pressure.Zc = 0;
    end PressureSource;

    model Valve "Relief valve: spool with spring, damper, mass and stops"
      PortQ left "Inlet";
      PortQ right "Outlet";
      parameter Real Pref(unit="Pa") = 2e7 "Opening pressure";
      parameter Real cq = 0.67 "Discharge coefficient";
      parameter Real spooldiameter(unit="m") = 0.01 "Diameter of the spool";
      parameter Real frac = 1.0 "Part of the circumference that opens";
      parameter Real W(unit="m") = frac*spooldiameter "Area gradient";
      parameter Real pilotarea(unit="m2") = 0.001 "Area that the inlet pressure acts on";
      parameter Real k(unit="N/m") = 1e6 "Stiffness of the spring";
      parameter Real c(unit="N.s/m") = 1000 "Damping";
      parameter Real m(unit="kg") = 0.01 "Mass of the spool";
      parameter Real T(unit="s") "Time step of the inlined differences";
      constant Real xmax(unit="m") = 0.001 "Upper stop";
      constant Real xmin(unit="m") = 0 "Lower stop";
      constant Boolean useDerInlineDelay "true: differences in place of derivatives";
      Real Ftot(unit="N") = pilotarea*(left.p - Pref) "Force of pressure and preload";
      Real x(start=xmin, unit="m") "Opening";
      Real xtmp(unit="m") "Position without the stops";
      Real v(unit="m/s") = if useDerInlineDelay then (x - delay(x, T))/T else der(xtmp) "Velocity";
      Real a(unit="m/s2") = if useDerInlineDelay then (v - delay(v, T))/T else der(v) "Acceleration";
      Real Ks = cq*W*x "Flow coefficient";
      Real Z(unit="Pa.s/m3") = left.Zc + right.Zc "Impedance of both lines";
    equation
      left.p = left.c + left.Zc*left.q;
      right.p = right.c + right.Zc*right.q;
      left.q + right.q = 0;
      right.q = sign(left.c - right.c)*Ks*(sqrt(abs(left.c - right.c) + (Ks*Z/2)^2) - Ks*Z/2);
      k*xtmp = Ftot - c*v - m*a;
      x = if noEvent(xtmp < xmin) then xmin else if noEvent(xtmp > xmax) then xmax else xtmp;
    end Valve;
  end Basic;

  package Continuous "The volume as a line with delay"
    extends Basic;

    model Volume "Volume"
      parameter Real V(unit="m3") "Volume";
      parameter Real Be(unit="Pa") "Bulk modulus";
      parameter Real T(unit="s") "Travelling time";
      parameter Real Zc(unit="Pa.s/m3") = Be*T/V "Impedance";
      PortC left(Zc=Zc) "One end";
      PortC right(Zc=Zc) "Other end";
    equation
      left.c = delay(right.c + 2*Zc*right.q, T);
      right.c = delay(left.c + 2*Zc*left.q, T);
    end Volume;
  end Continuous;

  package ContinuousNoDelay "The volume as an ideal capacity"
    extends Basic;

    model Volume "Volume"
      parameter Real V(unit="m3") "Volume";
      parameter Real Be(unit="Pa") "Bulk modulus";
      parameter Real T(unit="s") "Travelling time, for the impedance";
      parameter Real Zc(unit="Pa.s/m3") = Be*T/V "Impedance";
      parameter Real C(unit="m3/Pa") = V/Be "Capacity";
      PortC left(Zc=Zc) "One end";
      PortC right(Zc=Zc) "Other end";
    protected
      Real dp(unit="Pa/s") "Rate of the pressure";
    equation
      C*dp = left.q + right.q;
      der(left.p) = dp;
      der(right.p) = dp;
    end Volume;
  end ContinuousNoDelay;

  package Discrete "The volume as a sampled line"
    extends Basic;

    model Volume "Volume"
      parameter Real V(unit="m3") "Volume";
      parameter Real Be(unit="Pa") "Bulk modulus";
      parameter Real T(unit="s") = 0.01 "Travelling time and sampling period";
      parameter Real Zc(unit="Pa.s/m3") = Be*T/V "Impedance";
      PortC left(Zc=Zc) "One end";
      PortC right(Zc=Zc) "Other end";
    equation
      when sample(-T, T) then
        left.c = pre(right.c) + 2*Zc*pre(right.q);
        right.c = pre(left.c) + 2*Zc*pre(left.q);
      end when;
    end Volume;
  end Discrete;

  package BaseSimulations "The system, for both forms of the derivative"
    constant Boolean useDerInlineDelay "true: differences in place of derivatives";

    model HydrAltPRVSystem "A flow source fills the volume until the valve opens"
      replaceable model Volume = Continuous.Volume "Form of the line";
      parameter Real T(unit="s") = 1e-4 "Travelling time";
      Volume volume(V=1e-3, Be=1e9, T=T) "Volume";
      Continuous.FlowSource flowSource(flowVal=1e-5) "Inflow";
      Continuous.PressureSource pressureSource(P=1e5) "Tank line";
      Continuous.Valve hydr(Pref=1e7, cq=0.67, spooldiameter=0.0025, frac=1.0, pilotarea=5e-5, xmax=0.015,
        m=0.12, c=400, k=150000, T=T, useDerInlineDelay=useDerInlineDelay) "Relief valve";
    equation
      connect(flowSource.source, volume.left);
      connect(volume.right, hydr.left);
      connect(hydr.right, pressureSource.pressure);
      annotation(experiment(StopTime=2, Interval=1e-4));
    end HydrAltPRVSystem;

    model DelayDassl "Delay, for a variable step"
      extends HydrAltPRVSystem;
    end DelayDassl;

    model DelayEuler "Delay, for a fixed step"
      extends HydrAltPRVSystem;
    end DelayEuler;

    model NoDelay "Ideal capacity"
      extends HydrAltPRVSystem(redeclare model Volume = ContinuousNoDelay.Volume);
    end NoDelay;

    model Disc "Sampled line"
      extends HydrAltPRVSystem(redeclare model Volume = Discrete.Volume);
    end Disc;
  end BaseSimulations;

  package DerBuiltin "Derivatives by der(), stops by reinit"
    extends BaseSimulations(useDerInlineDelay=false);

    redeclare class extends HydrAltPRVSystem
    equation
      when hydr.v > 0 then
        reinit(hydr.xtmp, max(hydr.xmin, hydr.xtmp));
      elsewhen hydr.v < 0 then
        reinit(hydr.xtmp, min(hydr.xmax, hydr.xtmp));
      end when;
    end HydrAltPRVSystem;
  end DerBuiltin;

  package DerInline "Derivatives by differences"
    extends BaseSimulations(useDerInlineDelay=true);
  end DerInline;
end ReliefValve;
