// Means of u = 1 + 3 sin(2 pi t + 0.5) + sin(6 pi t + 0.7)/2 over full periods: mean 1, effective value sqrt(1 + 9/2 + 1/8),
// first harmonic 3/sqrt(2) with the angle 0.5 - pi/2; |sin| has the mean 2/pi; distortion of the signal without mean is (1/2)/3.
// The variance of u = t over (0, t) is t^2/12.
model MeanBlocks
  import Modelica.Blocks.Math.*;
  import Modelica.Constants.pi;
  Mean mean(f=1);
  RectifiedMean rectified(f=1);
  RootMeanSquare rms(f=1);
  Harmonic first(f=1, k=1);
  Harmonic third(f=1, k=3);
  TotalHarmonicDistortion thd(f=1);
  ContinuousMean continuousMean;
  Variance variance;
  StandardDeviation deviation;
  SignalExtrema extrema(Ts=0.01);
  ContinuousSignalExtrema extrema2;
  Real s = sin(2*pi*time + 0.5);
  Real u = 1 + 3*s + 0.5*sin(6*pi*time + 0.7);
equation
  mean.u = u; rectified.u = s; rms.u = u; first.u = u; third.u = u; thd.u = u - 1; continuousMean.u = u;
  variance.u = time; deviation.u = time; extrema.u = 2*s + 1; extrema2.u = 2*sin(2*pi*time/5) + 1;
  when terminal() then
    assert(abs(mean.y - 1) < 1e-4, "Mean");
    assert(abs(rectified.y - 2/pi) < 1e-4, "RectifiedMean");
    assert(abs(rms.y - sqrt(1 + 4.5 + 0.125)) < 1e-4, "RootMeanSquare");
    assert(abs(first.y_rms - 3/sqrt(2)) < 1e-4 and abs(abs(first.y_arg) - (pi/2 - 0.5)) < 1e-4, "Harmonic 1");
    assert(abs(third.y_rms - 0.5/sqrt(2)) < 1e-4, "Harmonic 3");
    assert(abs(thd.y - 0.5/3) < 1e-3 and thd.valid, "TotalHarmonicDistortion");
    assert(abs(continuousMean.y - 1) < 1e-3, "ContinuousMean");
    assert(abs(variance.y - 4/3) < 1e-4 and abs(deviation.y^2 - 4/3) < 1e-4, "Variance");
    assert(abs(extrema.y_max - 3) < 1e-3 and abs(extrema.y_min + 1) < 1e-3, "SignalExtrema");
    assert(abs(extrema2.y_max - 3) < 1e-3 and abs(extrema2.y_min + 1) < 1e-3, "ContinuousSignalExtrema");
  end when;
  annotation(experiment(StopTime=4, Tolerance=1e-8));
end MeanBlocks;
