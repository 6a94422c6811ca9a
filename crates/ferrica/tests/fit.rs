//! Parameters from data that the tests have made with known ones.

use ferrica::{Experiment, Measured, Model, Unknown};

const MOTOR: &str = "model Motor
  parameter Real R = 1; parameter Real k = 0.1; parameter Real J = 0.01; parameter Real L = 0.01;
  input Real u(start = 0); Real i(start = 0, fixed = true); Real w(start = 0, fixed = true);
equation
  L*der(i) = u - R*i - k*w; J*der(w) = k*i - 0.002*w;
end Motor;";

/// Numbers of a normal distribution, by the method of Box and Muller on a linear congruential generator.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

fn unknown(name: &str, low: f64, high: f64) -> Unknown {
    Unknown {
        name: name.to_owned(),
        low,
        high,
    }
}

/// Three parameters of a motor from noisy currents and speeds.
#[test]
fn a_motor() {
    let model = Model::from_text(MOTOR).unwrap();
    let t: Vec<f64> = (0..=100).map(|k| 0.02 * f64::from(k)).collect();
    let u: Vec<f64> = t
        .iter()
        .map(|t| if *t < 1.0 { 12.0 } else { 4.0 })
        .collect();
    let signal = ferrica::Signal::linear(t.clone(), u.clone()).unwrap();
    let truth = [("R", 2.3), ("k", 0.16), ("J", 0.021)];
    let mut real = model.clone();
    for (name, value) in truth {
        real = real.set(name, value).unwrap();
    }
    let plan = Experiment::default().stop(2.0).tolerance(1e-9);
    let run = real.simulate(&plan.clone().input("u", signal)).unwrap();
    let mut noise = Noise(1);
    let mut seen = |name: &str, size: f64| -> Vec<f64> {
        t.iter()
            .map(|t| run.at(name, *t).unwrap() + size * noise.normal())
            .collect()
    };
    let (i, w) = (seen("i", 0.05), seen("w", 0.3));
    let data = Measured::new(t)
        .column("u", u)
        .column("i", i)
        .column("w", w);
    let unknowns = [
        unknown("R", 0.1, 10.0),
        unknown("k", 0.01, 1.0),
        unknown("J", 0.001, 0.1),
    ];
    let fit = model.fit(&[data], &unknowns, &plan).unwrap();
    assert!(
        fit.indistinct.is_empty() && fit.after < 0.1 * fit.before,
        "{fit:?}"
    );
    for (e, (name, value)) in fit.estimates.iter().zip(truth) {
        assert_eq!(e.name, name);
        assert!((e.value - value).abs() < 2.0 * e.error, "{e:?}");
        assert!(e.error < 0.1 * value, "{e:?}");
    }
}

/// With e = 0.5 the bounces accumulate at √(2h/g)·(1 + e)/(1 - e) = 1.35 s: the search cannot begin there, and says with which values.
#[test]
fn a_search_that_cannot_begin() {
    let text = "model B parameter Real e = 0.5; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
      equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end when; end B;";
    let model = Model::from_text(text).unwrap();
    let run = (model.set("e", 0.8).unwrap())
        .simulate(&Experiment::default().stop(1.6).points(80))
        .unwrap();
    let seen = Measured::new(run.time().to_vec()).column("h", run["h"].to_vec());
    let fit = |model: &Model| {
        model.fit(
            std::slice::from_ref(&seen),
            &[unknown("e", 0.3, 0.95)],
            &Experiment::default(),
        )
    };
    let error = fit(&model).unwrap_err();
    assert_eq!(error.code(), "E0614");
    let hint = error.diagnostics()[0].hint.clone().unwrap();
    assert!(
        hint.contains("first run of the search, with e = 0.5"),
        "{hint}"
    );
    let found = fit(&model.set("e", 0.75).unwrap()).unwrap();
    assert!(
        (found.estimates[0].value - 0.8).abs() < 1e-4 && found.converged,
        "{found:?}"
    );
}

/// 0.1·3 is no instant of `sample(0, 0.1)` to the last bit. x = (1 - 0.1·k)ⁿ there, before the sampler acts and behind it.
#[test]
fn data_at_the_instants_of_a_sampler() {
    let text = "model S parameter Real k = 1; discrete Real u(start = 0, fixed = true); Real x(start = 1, fixed = true);
      equation der(x) = u; when sample(0, 0.1) then u = -k*x; end when; end S;";
    let model = Model::from_text(text).unwrap();
    let counted = || (0..=30).map(f64::from);
    let summed = counted().scan(0.0, |t, _| Some(std::mem::replace(t, *t + 0.1)));
    for times in [
        counted().map(|n| 0.1 * n).collect(),
        summed.collect::<Vec<f64>>(),
    ] {
        let x = counted().map(|n| 0.75f64.powf(n)).collect();
        let seen = Measured::new(times).column("x", x);
        let fit = model.fit(&[seen], &[unknown("k", 0.1, 5.0)], &Experiment::default());
        let found = fit.unwrap().estimates[0].value;
        assert!((found - 2.5).abs() < 1e-5, "{found}");
    }
}

#[test]
fn bad_data() {
    let model = Model::from_text(MOTOR).unwrap();
    let fails = |data: Measured, u: Unknown| {
        let found = model.fit(&[data], &[u], &Experiment::default());
        found.unwrap_err().code()
    };
    let r = || unknown("R", 0.1, 10.0);
    let two = || Measured::new(vec![0.0, 1.0]);
    assert_eq!(fails(two().column("i", vec![1.0]), r()), "E0738");
    assert_eq!(fails(two().column("i", vec![1.0, f64::NAN]), r()), "E0738");
    assert_eq!(fails(two(), r()), "E0738");
    assert_eq!(fails(two().column("j", vec![1.0, 2.0]), r()), "E0731");
    assert_eq!(
        fails(
            Measured::new(vec![-1.0, 1.0]).column("i", vec![0.0, 0.0]),
            r()
        ),
        "E0738"
    );
    assert_eq!(
        fails(two().column("i", vec![0.0, 0.0]), unknown("R", 3.0, 1.0)),
        "E0738"
    );
    assert_eq!(
        fails(two().column("i", vec![0.0, 0.0]), unknown("Q", 1.0, 3.0)),
        "E0731"
    );
}
