//! Where a run begins: initial systems that need more than Newton's method from the start values, against closed forms.

mod common;

use common::run;

#[test]
fn a_spring_of_no_length_finds_its_direction() {
    // k*(r - l)*(x, y)/r = f: it lies along the force, r = l + |f|/k. At x = y = 0 the length has no slope.
    let table = run(
        "Spring",
        "model Spring
           parameter Real f[2] = {3, 4};
           Real x, y, r;
         equation
           r = sqrt(x^2 + y^2);
           10*(r - 0.2)*x/r = f[1];
           10*(r - 0.2)*y/r = f[2];
         end Spring;",
        &[],
    );
    assert!(
        (table.first("r") - 0.7).abs() < 1e-9,
        "{}",
        table.first("r")
    );
    assert!(
        (table.first("x") - 0.42).abs() < 1e-9,
        "{}",
        table.first("x")
    );
    assert!(
        (table.first("y") - 0.56).abs() < 1e-9,
        "{}",
        table.first("y")
    );
}

#[test]
fn quadratic_resistances_start_from_no_flow() {
    // A bridge of orifices p - q = k*m*abs(m) between 9 and 0, its two middle points joined by one too. With the
    // resistances of one side twice those of the other the middle points are level: no cross flow, and in each branch
    // m = sqrt(9/(k1 + k2)).
    let table = run(
        "Bridge",
        "model Bridge
           Real a(start=0), b(start=0), c(start=0), d(start=0), e(start=0), p(start=4), q(start=4);
         equation
           9 - p = 1*a*abs(a);
           p = 2*b*abs(b);
           9 - q = 2*c*abs(c);
           q = 4*d*abs(d);
           p - q = 5*e*abs(e) + e;
           a = b + e;
           c + e = d;
         end Bridge;",
        &[],
    );
    assert!(
        (table.first("a") - 3f64.sqrt()).abs() < 1e-7,
        "{}",
        table.first("a")
    );
    assert!(
        (table.first("d") - 1.5f64.sqrt()).abs() < 1e-7,
        "{}",
        table.first("d")
    );
}

#[test]
fn homotopy_decides_between_two_solutions() {
    // Newton's method from the start value would stay at the solution x = 0.
    let table = run(
        "Branches",
        "model Branches
           Real x(start=0);
         equation
           0 = homotopy(sin(x)*(x - 100), x - 100);
         end Branches;",
        &[],
    );
    assert!(
        (table.first("x") - 100.0).abs() < 1e-9,
        "{}",
        table.first("x")
    );
}

/// A pipe in steady flow until its valve closes at 0.2, then the pressure rises by Zc·q. A run may begin at any time before that.
#[test]
fn lines_are_steady_before_a_start_at_any_time() {
    let model = "model Hammer
           extends Ferrica.TLM.Examples.WaterHammer;
           Real p = pipe.port_b.p;
         end Hammer;";
    // Zc = 4 sqrt(beta rho)/(pi D^2) with beta = 2e9, rho = 1000, D = 0.02; the flow is 1e-4.
    let rise = 1e-4 * 4.0 * 2e12f64.sqrt() / (std::f64::consts::PI * 4e-4);
    let solvers: [&[&str]; 3] = [
        &["--solver", "bdf"],
        &["--solver", "qss2"],
        &["--partition", "tlm", "--step", "1e-3"],
    ];
    for solver in solvers {
        for start in ["-1", "0", "0.15"] {
            let span = ["--start", start, "--stop", "0.3", "--interval", "1e-3"];
            let table = run("Hammer", model, &[solver, &span].concat());
            for (t, p) in table["time"].iter().zip(&table["p"]) {
                let expected = if *t < 0.2 - 1e-3 {
                    1e5
                } else if *t > 0.2 + 1e-3 {
                    1e5 + rise
                } else {
                    continue;
                };
                assert!(
                    (p / expected - 1.0).abs() < 1e-9,
                    "{solver:?} {start} {t}: {p}"
                );
            }
        }
    }
}
