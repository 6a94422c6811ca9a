// Amplitude at the cut-off frequency f = 1 Hz after settling: 1/sqrt(2) for Butterworth and for the blocks CriticalDamping
// and LowpassButterworth, 10^(-3/20) for the normalized patterns of Filter. Measured with RootMeanSquare.
model Filters
  import Modelica.Blocks.Continuous.*;
  import Modelica.Blocks.Types.*;
  import Modelica.Blocks.Math.RootMeanSquare;
  Modelica.Blocks.Sources.Sine sine(amplitude=sqrt(2), f=1);
  LowpassButterworth butterworth2(n=2, f=1, initType=Init.InitialState);
  LowpassButterworth butterworth5(n=5, f=1, initType=Init.InitialState);
  CriticalDamping critical(n=3, f=1, initType=Init.InitialState);
  Filter lowCritical(order=3, f_cut=1);
  Filter lowBessel(order=4, f_cut=1, analogFilter=AnalogFilter.Bessel);
  Filter lowBessel3(order=3, f_cut=1, analogFilter=AnalogFilter.Bessel);
  Filter lowButterworth(order=3, f_cut=1, analogFilter=AnalogFilter.Butterworth);
  Filter lowChebyshev(order=4, f_cut=1, analogFilter=AnalogFilter.ChebyshevI);
  Filter lowChebyshev3(order=3, f_cut=1, analogFilter=AnalogFilter.ChebyshevI);
  Filter high(order=3, f_cut=1, analogFilter=AnalogFilter.Butterworth, filterType=FilterType.HighPass);
  Filter highBessel(order=2, f_cut=1, analogFilter=AnalogFilter.Bessel, filterType=FilterType.HighPass);
  Filter upperEdge(order=3, f_min=0.25, f_cut=1, analogFilter=AnalogFilter.Butterworth, filterType=FilterType.BandPass);
  Filter middle(order=2, f_min=0.5, f_cut=2, gain=3, analogFilter=AnalogFilter.Butterworth, filterType=FilterType.BandPass);
  RootMeanSquare rms[13](each f=1);
  constant Real flat = 1/sqrt(2);
  constant Real drop = 10^(-3/20);
  parameter Real expected[13] = {flat, flat, flat, drop, drop, drop, flat, drop, drop, flat, drop, flat, 3};
equation
  butterworth2.u = sine.y; butterworth5.u = sine.y; critical.u = sine.y; lowCritical.u = sine.y; lowBessel.u = sine.y;
  lowBessel3.u = sine.y; lowButterworth.u = sine.y; lowChebyshev.u = sine.y; lowChebyshev3.u = sine.y; high.u = sine.y;
  highBessel.u = sine.y; upperEdge.u = sine.y; middle.u = sine.y;
  rms.u = {butterworth2.y, butterworth5.y, critical.y, lowCritical.y, lowBessel.y, lowBessel3.y, lowButterworth.y,
    lowChebyshev.y, lowChebyshev3.y, high.y, highBessel.y, upperEdge.y, middle.y};
  when terminal() then
    for k in 1:13 loop
      assert(abs(rms[k].y - expected[k]) < 2e-3, "amplitude of filter " + String(k));
    end for;
  end when;
  annotation(experiment(StopTime=15.5, Tolerance=1e-8));
end Filters;
