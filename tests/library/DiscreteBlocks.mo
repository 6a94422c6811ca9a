// Sampled blocks with period 0.1 on u = time: last sample, previous sample, line through two samples;
// x(k+1) = x(k)/2 + 1 converges to 2 as 2 - 2^(1-k); the transfer function 1/(z - 1/2) gives the same.
model DiscreteBlocks
  import Modelica.Blocks.Discrete.*;
  Sampler sampler(samplePeriod=0.1);
  ZeroOrderHold hold(samplePeriod=0.1);
  FirstOrderHold line(samplePeriod=0.1);
  UnitDelay unitDelay(samplePeriod=0.1, y_start=-1);
  TransferFunction g(samplePeriod=0.1, b={1}, a={1, -0.5});
  StateSpace ss(samplePeriod=0.1, A=[0.5], B=[1], C=[1], D=[0]);
  TriggeredSampler triggered(y_start=-1);
  TriggeredMax largest;
  Boolean trigger = time > 0.15 and time < 0.2 or time > 0.35 and time < 0.4 or time > 0.75;
equation
  sampler.u = time; hold.u = time; line.u = time; unitDelay.u = sampler.y; g.u = 1; ss.u = {1};
  triggered.u = 2*time; triggered.trigger = trigger; largest.u = sin(10*time); largest.trigger = trigger;
  when time >= 0.05 then
    assert(abs(triggered.y + 1) < 1e-9, "before the first trigger");
  end when;
  when time >= 0.44 then
    assert(abs(triggered.y - 0.7) < 1e-5, "TriggeredSampler");
    assert(abs(largest.y - sin(1.5)) < 1e-5, "TriggeredMax");
  end when;
  when terminal() then
    // samples at 0, 0.1, ..., 0.7; the run ends at 0.75 before the next
    assert(abs(sampler.y - 0.7) < 1e-9, "Sampler");
    assert(abs(hold.y - 0.7) < 1e-9, "ZeroOrderHold");
    assert(abs(line.y - 0.645) < 1e-6, "FirstOrderHold");
    assert(abs(unitDelay.y - 0.6) < 1e-9, "UnitDelay");
    assert(abs(g.y - (2 - 2^(-6))) < 1e-9, "TransferFunction");
    assert(abs(ss.y[1] - (2 - 2^(-6))) < 1e-9 and abs(ss.x[1] - (2 - 2^(-7))) < 1e-9, "StateSpace");
  end when;
  annotation(experiment(StopTime=0.745));
end DiscreteBlocks;
