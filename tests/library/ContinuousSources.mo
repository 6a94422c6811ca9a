// Blocks.Sources without periods: each output equals its formula written out, every 10 ms.
model ContinuousSources
  import Modelica.Blocks.Sources.*;
  import Modelica.Constants.pi;
  ContinuousClock clock(offset=1, startTime=0.3);
  Constant constant1(k=-2);
  Step step(height=2, offset=1, startTime=0.5);
  Ramp ramp(height=2, duration=0.5, offset=-1, startTime=0.25);
  Ramp jump(height=2, duration=0, startTime=0.4);
  Sine sine(amplitude=2, f=1.5, phase=0.3, offset=0.5, startTime=0.2);
  Sine held(amplitude=2, f=1.5, phase=0.3, startTime=0.2, continuous=true);
  Cosine cosine(amplitude=2, f=1.5, phase=0.3, offset=0.5, startTime=0.2);
  ExpSine expSine(amplitude=2, f=2, damping=3, startTime=0.1);
  Exponentials exponentials(outMax=2, riseTime=0.3, riseTimeConst=0.1, fallTimeConst=0.2, startTime=0.1);
  Sinc sinc(amplitude=3, f=1, startTime=0.2);
  LogFrequencySweep sweep(wMin=1, wMax=100, startTime=0.2, duration=0.5);
  RealExpression expression(y=3*time);
  Real t = time;
  Real expected[12] = {
    1 + (if t < 0.3 then 0 else t - 0.3), -2, 1 + (if t < 0.5 then 0 else 2),
    if t < 0.25 then -1 elseif t < 0.75 then -1 + 4*(t - 0.25) else 1,
    if t < 0.4 then 0 else 2,
    0.5 + (if t < 0.2 then 0 else 2*sin(3*pi*(t - 0.2) + 0.3)),
    if t < 0.2 then 2*sin(0.3) else 2*sin(3*pi*(t - 0.2) + 0.3),
    0.5 + (if t < 0.2 then 0 else 2*cos(3*pi*(t - 0.2) + 0.3)),
    if t < 0.1 then 0 else 2*exp(-3*(t - 0.1))*sin(4*pi*(t - 0.1)),
    if t < 0.1 then 0 elseif t < 0.4 then 2*(1 - exp(-(t - 0.1)/0.1)) else 2*(1 - exp(-3))*exp(-(t - 0.4)/0.2),
    if t < 0.2 then 1 elseif t < 0.7 then 100^((t - 0.2)/0.5) else 100, 3*t};
  Real actual[12] = {clock.y, constant1.y, step.y, ramp.y, jump.y, sine.y, held.y, cosine.y, expSine.y,
    exponentials.y, sweep.y, expression.y};
equation
  when sample(0.005, 0.01) then
    assert(sum(abs(actual - expected)) < 1e-9, "a source deviates from its formula");
  end when;
  when terminal() then
    assert(abs(sinc.y - 3*sin(2*pi*0.8)/(2*pi*0.8)) < 1e-9, "sinc");
  end when;
end ContinuousSources;
