//! Circuits whose trajectories come from an independent high-accuracy computation: the numbers are rows of
//! `seed-benchmarks/rectifier.csv` and `seed-benchmarks/halfwave_events.csv` of the shared data.

use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::integrator::{Integrator, Options, StepOutcome};
use ferrica_solvers::radau::{RadauDae, RadauOde};
use ferrica_solvers::system::{DaeSystem, EvalError, OdeSystem, RootFunctions};
use std::f64::consts::PI;

/// Bridge of four Shockley diodes (1 fA, n = 1.5, 300 K), each with 1 mΩ, from 100 sin(10πt) V to 10 Ω and 0.1 H.
/// Unknowns: voltages of both ends of the load, its current, four junction voltages.
struct Rectifier;

const N_VT: f64 = 1.5 * 1.380649e-23 * 300.0 / 1.602176634e-19;

impl RootFunctions for Rectifier {}

impl DaeSystem for Rectifier {
    fn n(&self) -> usize {
        7
    }
    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        let e = 100.0 * (10.0 * PI * t).sin();
        let (a, b, i_load) = (y[0], y[1], y[2]);
        let i: [f64; 4] = std::array::from_fn(|k| 1e-15 * (y[3 + k] / N_VT).exp_m1());
        r[0] = i[0] + i[1] - i_load;
        r[1] = i[2] + i[3] - i_load;
        r[2] = 0.1 * yp[2] + 10.0 * i_load - (a - b);
        for (k, across) in [e - a, -a, b - e, b].into_iter().enumerate() {
            r[3 + k] = across - y[3 + k] - 1e-3 * i[k];
        }
        Ok(())
    }
    fn differential(&self, i: usize) -> bool {
        i == 2
    }
}

#[test]
fn rectifier_with_shockley_diodes() {
    let options = Options::new(1e-6, 1e-6);
    let methods: [(&str, Box<dyn Integrator<Rectifier>>); 2] = [
        ("bdf", Box::new(BdfDae::new(options.clone()))),
        ("radau", Box::new(RadauDae::new(options))),
    ];
    for (name, mut i) in methods {
        i.init(&mut Rectifier, 0.0, &[0.0; 7], &[0.0; 7]).unwrap();
        for (t, current) in ROWS {
            while i.step(&mut Rectifier, t).unwrap() != StepOutcome::ReachedTstop {}
            let e = (i.y()[2] - current).abs();
            println!("{name} {t} {e:.1e}");
            assert!(
                e < 5e-5 * current.max(1.0),
                "{name}, t = {t}: {} for {current}",
                i.y()[2]
            );
        }
        println!("{name} {:?}", i.statistics());
        assert!(i.statistics().steps < 8000, "{name}: {:?}", i.statistics());
    }
}

/// (t, load current)
const ROWS: [(f64, f64); 9] = [
    (0.01, 0.986635475389733),
    (0.05, 8.83859800295363),
    (0.1, 2.57883230610441),
    (0.15, 8.85557232959582),
    (0.3, 2.57894589302403),
    (0.45, 8.85557308588248),
    (0.6, 2.57894589302425),
    (0.8, 2.57894589302425),
    (1.0, 2.57894589302426),
];

/// Sine of 10 V and 50 Hz, 1 Ω, ideal diode (Ron = Goff = 1e-5, knee 0.7 V), 1 mF in parallel with 100 Ω.
/// The diode's parameter s is proportional to its current when on and to its voltage when off.
struct HalfWave {
    on: bool,
}

const KNEE: f64 = 0.7;

impl HalfWave {
    fn s(&self, t: f64, v: f64) -> f64 {
        let e = 10.0 * (100.0 * PI * t).sin();
        let (a, b) = if self.on { (1e-5, 1.0) } else { (1.0, 1e-5) };
        (e - v - KNEE - 1e-5 * KNEE) / (a + b)
    }
}

impl RootFunctions for HalfWave {
    fn n_roots(&self) -> usize {
        1
    }
    fn roots(&mut self, t: f64, y: &[f64], _: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
        // A little hysteresis, so that a switching does not find itself again.
        g[0] = self.s(t, y[0]) + if self.on { 1e-10 } else { -1e-10 };
        Ok(())
    }
}

impl OdeSystem for HalfWave {
    fn n(&self) -> usize {
        1
    }
    fn rhs(&mut self, t: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        let s = self.s(t, y[0]);
        let i = if self.on { s } else { 1e-5 * s } + 1e-5 * KNEE;
        d[0] = (i - y[0] / 100.0) / 1e-3;
        Ok(())
    }
}

#[test]
fn half_wave_rectifier_switches_on_time() {
    let options = Options::new(1e-8, 1e-8);
    let methods: [(&str, Box<dyn Integrator<HalfWave>>); 3] = [
        ("bdf", Box::new(BdfOde::new(options.clone()))),
        ("radau", Box::new(RadauOde::new(options.clone()))),
        ("dopri5", Box::new(Dopri5::new(options))),
    ];
    for (name, mut i) in methods {
        let mut circuit = HalfWave { on: false };
        i.init(&mut circuit, 0.0, &[0.0], &[]).unwrap();
        let mut switchings = Vec::new();
        loop {
            match i.step(&mut circuit, 1.0).unwrap() {
                StepOutcome::Stepped => {}
                StepOutcome::ReachedTstop => break,
                StepOutcome::RootFound { t } => {
                    circuit.on = i.roots_found()[0].rising;
                    let y = i.y().to_vec();
                    i.reinit(&mut circuit, t, &y, &[]).unwrap();
                    switchings.push(t);
                }
            }
        }
        assert_eq!(switchings.len(), 100, "{name}");
        for (k, t) in SWITCHINGS {
            assert!(
                (switchings[k] - t).abs() < 2e-7,
                "{name}: {k} at {}, not {t}",
                switchings[k]
            );
        }
        assert!(
            (i.y()[0] - 7.72387099182539).abs() < 2e-6,
            "{name}: {}",
            i.y()[0]
        );
        println!("{name} {:?}", i.statistics());
        assert!(
            i.statistics().steps < 100 * 60,
            "{name}: {:?}",
            i.statistics()
        );
    }
}

/// (number, time) of some of the 100 switchings.
const SWITCHINGS: [(usize, f64); 8] = [
    (0, 0.00022300177251109328),
    (1, 0.0060452012376182715),
    (2, 0.023003638056216823),
    (3, 0.025916470086686978),
    (48, 0.483055462325078),
    (49, 0.4859097904415941),
    (98, 0.983055462325078),
    (99, 0.9859097904415941),
];
