// KinematicPTP and KinematicPTP2: distance 1 with speed 0.5 and acceleration 1 takes 0.5 s + 1.5 s + 0.5 s;
// distance 1 with speed 10 takes two phases of 1 s. Integrating the acceleration twice gives the distance.
model KinematicMotion
  Modelica.Blocks.Sources.KinematicPTP ptp(deltaq={1, 0.5}, qd_max={0.5}, qdd_max={1}, startTime=0.25);
  Modelica.Blocks.Sources.KinematicPTP2 slow(q_begin={2, 1}, q_end={3, 1}, qd_max={0.5}, qdd_max={1}, startTime=0.25);
  Modelica.Blocks.Sources.KinematicPTP2 fast(q_end={1}, qd_max={10}, qdd_max={1});
  Real qd[2](each start=0, each fixed=true);
  Real q[2](each start=0, each fixed=true);
  Real d(start=0, fixed=true);
equation
  der(qd) = ptp.y;
  der(q) = qd;
  der(d) = abs(2 + q[1] - slow.q[1]) + abs(qd[1] - slow.qd[1]);
  when time >= 0.75 then
    assert(abs(slow.q[1] - 2.125) < 1e-6 and abs(slow.qd[1] - 0.5) < 1e-6, "end of acceleration");
  end when;
  when terminal() then
    assert(abs(q[1] - 1) < 1e-5 and abs(q[2] - 0.5) < 1e-5 and abs(qd[1]) < 1e-5, "distance");
    assert(abs(d) < 1e-4, "position and acceleration belong together");
    assert(abs(slow.q[1] - 3) < 1e-9 and abs(slow.q[2] - 1) < 1e-9, "end position");
    assert(abs(slow.endTime - 2.75) < 1e-9 and abs(fast.endTime - 2) < 1e-9, "end time");
    assert(not slow.moving[1] and not slow.moving[2] and not fast.moving[1], "at rest");
  end when;
  annotation(experiment(StopTime=3));
end KinematicMotion;
