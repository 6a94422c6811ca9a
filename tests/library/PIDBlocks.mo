// PID with ideal error 1: y = k (1 + t/Ti + Nd exp(-Nd t/Td)).
// LimPID with integral part only in the limit: P controller 2*(0.75*1 - 0.5); limited PI holds its limit.
model PIDBlocks
  import Modelica.Blocks.Continuous.*;
  import Modelica.Blocks.Types.*;
  PID pid(k=2, Ti=0.5, Td=0.1);
  LimPID p(controllerType=SimpleController.P, k=2, wp=0.75, yMax=10);
  LimPID pi1(controllerType=SimpleController.PI, k=2, Ti=0.5, yMax=10);
  LimPID limited(controllerType=SimpleController.PI, k=2, Ti=0.5, yMax=1, Ni=0.5);
  LimPID pd(controllerType=SimpleController.PD, k=2, Td=0.1, wd=1, yMax=100);
  LimPID full(k=2, Ti=0.5, Td=0.1, wd=1, yMax=100);
  LimPID ff(controllerType=SimpleController.P, k=2, yMax=10, withFeedForward=true, kFF=3);
equation
  pid.u = 1;
  p.u_s = 1; p.u_m = 0.5;
  pi1.u_s = 1; pi1.u_m = 0;
  limited.u_s = 1; limited.u_m = 0;
  pd.u_s = 1; pd.u_m = 0;
  full.u_s = 1; full.u_m = 0;
  ff.u_s = 1; ff.u_m = 0; ff.u_ff = 2;
  when time >= 0.01 then
    assert(abs(pid.y - 2*(1 + 0.01/0.5 + 10*exp(-1))) < 1e-3, "PID, derivative part");
    assert(abs(full.y - 2*(1 + 0.01/0.5 + 10*exp(-1))) < 1e-3, "LimPID, derivative part");
    assert(abs(pd.y - 2*(1 + 10*exp(-1))) < 1e-3, "LimPID, PD");
  end when;
  when terminal() then
    assert(abs(pid.y - 6) < 1e-3, "PID");
    assert(abs(p.y - 0.5) < 1e-9, "LimPID, P");
    assert(abs(pi1.y - 6) < 1e-3, "LimPID, PI");
    assert(abs(limited.y - 1) < 1e-6, "LimPID at its limit");
    // anti-windup: I' = (e + (1 - 2(1 + I))/(k Ni))/Ti settles where the bracket vanishes, I = (e k Ni - 1)/2 = 0
    assert(abs(limited.I.y - 0) < 1e-3, "LimPID, anti-windup");
    assert(abs(pd.y - 2) < 1e-3, "LimPID, PD settled");
    assert(abs(ff.y - 8) < 1e-9, "LimPID with feed-forward");
  end when;
end PIDBlocks;
