// run: --solver bdf
// Steady state of the independent reference solutions: p = 10 005 690.7 Pa, x = 1.89689326e-6 m. The line has no losses, and above its
// resonance the spool moves against the pressure: at 1/(2 T) = 5 kHz the valve takes less flow when the pressure rises,
// dq/dp = q/(2 dp) - cq W sqrt(dp) A/(m w^2) = 0.5e-12 - 2.2e-12 m3/(Pa.s), so a standing wave grows slowly for ever. What settles is
// the mean over its periods.
model BenchmarkReliefDelay "Relief valve, DerBuiltin.DelayDassl, against reference values"
  extends Ferrica.Benchmarks.ReliefValve.DerBuiltin.DelayDassl;
  parameter Real window(unit="s") = 0.01 "Fifty periods of the wave";
  Real pressure(start=0, fixed=true, unit="Pa.s") "Integral of the pressure above 10 MPa";
  Real opening(start=0, fixed=true, unit="m.s") "Integral of the opening, times 1e6";
equation
  der(pressure) = hydr.left.p - 1e7;
  der(opening) = hydr.x*1e6;
  when terminal() then
    assert(abs((pressure - delay(pressure, window))/window - 5690.7) < 20.0, "Pressure");
    assert(abs((opening - delay(opening, window))/window - 1.89689326) < 1e-3, "Opening");
  end when;
  annotation(experiment(StopTime=2, Interval=1e-4, Tolerance=1e-8));
end BenchmarkReliefDelay;
