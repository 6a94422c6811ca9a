// First- and second-order lags, integrators, PI, derivative: step responses 1 - exp(-t/T),
// 1 - exp(-t)(1 + t) for critical damping, k(1 + t/T), exp(-t/T) k/T.
model ContinuousBlocks
  import Modelica.Blocks.Continuous.*;
  import Modelica.Blocks.Types.Init;
  Integrator integrator(k=2, y_start=1);
  FirstOrder firstOrder(k=2, T=0.5, initType=Init.InitialState);
  SecondOrder secondOrder(k=3, w=1, D=1, initType=Init.InitialState);
  PI pi1(k=2, T=0.5, initType=Init.InitialState);
  Derivative derivative(k=2, T=0.1, initType=Init.InitialState);
  Derivative none(k=0);
  Der der1;
  LimIntegrator limited(outMax=0.5);
  FirstOrder steady(k=2, T=0.5, initType=Init.SteadyState);
  FirstOrder output1(k=2, T=0.5, y_start=0.7, initType=Init.InitialOutput);
equation
  integrator.u = 1; firstOrder.u = 1; secondOrder.u = 1; pi1.u = 1; derivative.u = 1; none.u = time; der1.u = time^2;
  limited.u = if time < 1 then 1 else -1; steady.u = 1.5; output1.u = 0;
  when time >= 0.5 then
    assert(abs(derivative.y - 20*exp(-5)) < 1e-4, "Derivative");
    assert(abs(output1.y - 0.7*exp(-1)) < 1e-4, "FirstOrder from an output");
  end when;
  when time >= 1 then
    assert(abs(limited.y - 0.5) < 1e-4, "LimIntegrator at its limit");
    assert(abs(firstOrder.y - 2*(1 - exp(-2))) < 1e-4, "FirstOrder");
  end when;
  when terminal() then
    assert(abs(integrator.y - 4) < 1e-5, "Integrator");
    assert(abs(secondOrder.y - 3*(1 - 2.5*exp(-1.5))) < 1e-4, "SecondOrder");
    assert(abs(secondOrder.yd - 3*1.5*exp(-1.5)) < 1e-4, "SecondOrder, derivative");
    assert(abs(pi1.y - 8) < 1e-5, "PI");
    assert(abs(none.y) < 1e-12, "Derivative without gain");
    assert(abs(der1.y - 3) < 1e-4, "Der");
    assert(abs(limited.y - 0) < 1e-3, "LimIntegrator leaves its limit at once");
    assert(abs(steady.y - 3) < 1e-6, "FirstOrder in steady state");
  end when;
  annotation(experiment(StopTime=1.5));
end ContinuousBlocks;
