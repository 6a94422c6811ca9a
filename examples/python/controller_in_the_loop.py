"""A controller written in Python leads a model step by step."""

import ferrica

plant = ferrica.loads("""
model Tank "Level of a tank with an outlet"
  input Real inflow(start = 0);
  output Real level(start = 0.2, fixed = true);
equation
  der(level) = inflow - 0.3*sqrt(max(level, 0));
end Tank;
""")

run = plant.stepper(dt=0.05)
integral, target = 0.0, 1.0
while run.time < 20:
    error = target - run["level"]
    integral += error * 0.05
    run["inflow"] = max(0.0, 2.0 * error + 0.8 * integral)
    run.step()

print(f"level after {run.time:.0f} s: {run['level']:.4f}")
assert abs(run["level"] - target) < 0.02
