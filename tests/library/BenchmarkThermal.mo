// Values at t = 5000 s of the independent reference solution (accuracy 7e-10 K, 9e-7 W).
model BenchmarkThermal "Thermal network of a motor against reference values"
  extends Ferrica.Benchmarks.MotorThermal;
equation
  when terminal() then
    assert(abs(T2 - (375.949972066515)) < 1e-4, "Magnets");
    assert(abs(Q_water - (2347.64668297942)) < 1e-2, "Cooling water");
    assert(abs(copper.T - (450.272171198527)) < 1e-4, "Copper");
    assert(abs(bearing1.T - (398.857008044591)) < 1e-4, "Bearing");
  end when;
  annotation(experiment(StopTime=5000, Interval=10, Tolerance=1e-9));
end BenchmarkThermal;
