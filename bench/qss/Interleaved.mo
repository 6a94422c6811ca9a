// Interleaved converter: N branches switched in turn.
model Interleaved
  parameter Integer N = 4;
  parameter Real C = 1e-4;
  parameter Real L = 1e-4;
  parameter Real R = 10;
  parameter Real U = 24;
  parameter Real P = 1e-4 "Period";
  parameter Real DC = 0.5 "Duty cycle";
  parameter Real Ron = 1e-5;
  parameter Real Roff = 1e5;
  Real uC(start = 0, fixed = true, nominal = 1);
  Real iL[N](each start = 0, each fixed = true, each nominal = 1);
  discrete Real Rs[N](each start = Roff, each fixed = true);
  discrete Real Rd[N](each start = Roff, each fixed = true);
  discrete Real nextT(start = 1e-8, fixed = true);
  discrete Real last(start = 0, fixed = true);
equation
  der(uC) = (sum(iL) - uC/R)/C;
  when time > pre(nextT) then
    last = pre(nextT);
    nextT = pre(nextT) + P;
  end when;
  for i in 1:N loop
    der(iL[i]) = ((U/Rs[i] - iL[i])*Rs[i]*Rd[i]/(Rs[i] + Rd[i]) - uC)/L;
    when time > last + P*(i - 1)/N + 0.01*P then
      Rs[i] = Ron;
      Rd[i] = Roff;
    elsewhen time > last + P*(i - 1)/N + DC*P/N + 0.01*P then
      Rs[i] = Roff;
      Rd[i] = Ron;
    elsewhen iL[i] < 0 then
      Rs[i] = pre(Rs[i]);
      Rd[i] = Roff;
    end when;
  end for;
  annotation(experiment(StopTime = 0.01, Tolerance = 1e-3, Interval = 1e-5));
end Interleaved;
