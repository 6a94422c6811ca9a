//! A user's atomic model beside a Modelica model, against the closed form.

#[path = "../examples/own_atomic.rs"]
mod own_atomic;

/// x = 2 e^−t, and at 0.5, 1, 1.5, … one more where the level is below 1.5.
#[test]
fn pump_fills_the_tank() {
    let mut run = own_atomic::tank_and_pump(1e-6, 3.0);
    let (mut level, mut at) = (2.0f64, 0.0);
    for k in 1..=6 {
        let time = 0.5 * f64::from(k);
        let between = time - 0.2;
        run.run_until(between).unwrap();
        let exact = level * (at - between).exp();
        let found = run.state(0, between);
        assert!((found - exact).abs() < 1e-4, "{between}: {found} {exact}");
        level *= (at - time).exp();
        at = time;
        if level < 1.5 {
            level += 1.0;
        }
    }
}
