// compare: S E F SE P PF PE PP PPF
model DoublePhosphorylation "A substrate is phosphorylated twice by one enzyme and back by one phosphatase: small enzymes beside a large substrate, three conserved sums of products"
  Real S(start = 1.2, fixed = true), E(start = 6e-4, fixed = true), F(start = 3e-4, fixed = true);
  Real SE(start = 0, fixed = true), P(start = 0, fixed = true), PF(start = 0, fixed = true);
  Real PE(start = 0, fixed = true), PP(start = 0, fixed = true), PPF(start = 0, fixed = true);
  Real r1, r2, r3, r4, r5, r6, r7, r8;
equation
  r1 = 1000*S*E - 150*SE;
  r2 = 150*SE;
  r3 = 1000*P*F - 150*PF;
  r4 = 150*PF;
  r5 = 1000*P*E - 150*PE;
  r6 = 150*PE;
  r7 = 1000*PP*F - 150*PPF;
  r8 = 150*PPF;
  der(S) = r4 - r1;
  der(E) = r2 - r1 + r6 - r5;
  der(F) = r4 - r3 + r8 - r7;
  der(SE) = r1 - r2;
  der(P) = r2 - r3 - r5 + r8;
  der(PF) = r3 - r4;
  der(PE) = r5 - r6;
  der(PP) = r6 - r7;
  der(PPF) = r7 - r8;
  annotation(experiment(StopTime = 400, Interval = 1));
end DoublePhosphorylation;
