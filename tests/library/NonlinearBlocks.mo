// Limits, dead zone, delays and slew rate of ramps and sines by their formulas; the Pade delay of a ramp is the ramp shifted.
model NonlinearBlocks
  import Modelica.Blocks.Nonlinear.*;
  Limiter limiter(uMax=0.5, uMin=-0.3);
  Limiter strict(uMax=0.5, strict=true);
  VariableLimiter variable;
  DeadZone dead(uMax=0.2, uMin=-0.4);
  FixedDelay fixed1(delayTime=0.25);
  VariableDelay delay1(delayMax=0.5);
  PadeDelay pade1(delayTime=0.1, n=1);
  PadeDelay pade3(delayTime=0.1, n=3, m=2);
  SlewRateLimiter slew(Rising=2, Falling=-1, initType=Modelica.Blocks.Types.Init.InitialOutput);
  Real u = 2*time - 1;
  Real d "Sum of all deviations";
equation
  limiter.u = u; strict.u = u; variable.u = u; variable.limit1 = 0.5*time; variable.limit2 = -0.5; dead.u = u;
  fixed1.u = sin(3*time); delay1.u = sin(3*time); delay1.delayTime = 0.1 + 0.2*time;
  pade1.u = time; pade3.u = time; slew.u = if time < 0.5 then 10 else -10;
  d = abs(limiter.y - max(-0.3, min(0.5, u))) + abs(strict.y - max(-0.5, min(0.5, u)))
    + abs(variable.y - max(-0.5, min(0.5*time, u))) + abs(dead.y - (max(0, u - 0.2) + min(0, u + 0.4)));
  when sample(0.005, 0.01) then
    assert(d < 1e-9, "limits");
    assert(time < 0.25 or abs(fixed1.y - sin(3*(time - 0.25))) < 1e-3, "FixedDelay on the way");
  end when;
  when time >= 0.5 then
    assert(abs(slew.y - 1) < 1e-3, "SlewRateLimiter rises");
  end when;
  when terminal() then
    assert(abs(fixed1.y - sin(3*0.75)) < 1e-3, "FixedDelay");
    assert(abs(delay1.y - sin(3*0.7)) < 1e-3, "VariableDelay");
    assert(abs(pade1.y - 0.9) < 1e-3 and abs(pade3.y - 0.9) < 1e-3, "PadeDelay");
    assert(abs(slew.y - 0.5) < 1e-2, "SlewRateLimiter falls");
  end when;
end NonlinearBlocks;
