// Amplitude at f = 1 Hz of filters whose band edge or middle it is, after settling: 10^(-3/20) or 1/sqrt(2) at an edge, 0 in
// the middle of a stopped band. The standard library's filters have another gain or zero in these three cases.
// built-in only: the standard library's band filters have another gain or zero there
model BandFilters
  import Modelica.Blocks.Continuous.Filter;
  import Modelica.Blocks.Types.*;
  Modelica.Blocks.Sources.Sine sine(amplitude=sqrt(2), f=1);
  Filter lowerEdge(order=2, f_min=1, f_cut=4, analogFilter=AnalogFilter.ChebyshevI, filterType=FilterType.BandPass);
  Filter stopEdge(order=3, f_min=0.25, f_cut=1, analogFilter=AnalogFilter.Butterworth, filterType=FilterType.BandStop);
  Filter stopMiddle(order=2, f_min=0.5, f_cut=2, analogFilter=AnalogFilter.Bessel, filterType=FilterType.BandStop);
  Modelica.Blocks.Math.RootMeanSquare rms[3](each f=1);
  parameter Real expected[3] = {10^(-3/20), 1/sqrt(2), 0};
equation
  lowerEdge.u = sine.y;
  stopEdge.u = sine.y;
  stopMiddle.u = sine.y;
  rms.u = {lowerEdge.y, stopEdge.y, stopMiddle.y};
  when terminal() then
    for k in 1:3 loop
      assert(abs(rms[k].y - expected[k]) < 2e-3, "amplitude of filter " + String(k));
    end for;
  end when;
  annotation(experiment(StopTime=15.5, Tolerance=1e-8));
end BandFilters;
