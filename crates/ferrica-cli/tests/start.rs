//! Where a run begins: initial systems that need more than Newton's method from the start values, against closed forms.

mod common;

use common::{launch, run};

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

#[test]
fn a_loop_begins_where_the_model_says() {
    // d = 990 at T = 320 is the solution; the type's start value of d, one, has no logarithm.
    let table = run(
        "Guess",
        "model Guess
           type Density = Real(start = 1);
           parameter Real T_start = 300;
           Density d;
           Real T(start = T_start);
         equation
           d = 1000 - 0.5*(T - 300);
           log(d - 900)*d + T = log(90)*990 + 320;
         end Guess;",
        &[],
    );
    assert!((table.first("T") - 320.0).abs() < 1e-6);
    assert!((table.first("d") - 990.0).abs() < 1e-6);
}

#[test]
fn a_capacity_that_comes_out_as_zero_has_no_state() {
    // With k = 0 the capacity is c0, and that is zero too: x follows 1 + time at once.
    let table = run(
        "NoCapacity",
        "model NoCapacity
           parameter Real k = 0, c0 = 0;
           Real x, c;
         equation
           c = k*x^2 + c0;
           c*der(x) = 1 + time - x;
         end NoCapacity;",
        &[],
    );
    assert!((table.first("x") - 1.0).abs() < 1e-12);
    assert!((table.last("x") - 2.0).abs() < 1e-12);
}

fn refused(name: &str, model: &str) -> String {
    let done = launch(name, model, &[]);
    assert_eq!(done.status.code(), Some(1), "{name}");
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn linear_equations_in_conflict_are_named() {
    let text = refused(
        "conflict",
        "model M
           Real x, y;
         initial equation
           x + y = 1;
           2*x + 2*y = 3;
         equation
           der(x) = -x;
           der(y) = -y;
         end M;",
    );
    assert!(text.contains("E0503"), "{text}");
    assert!(
        text.contains("dependent equation: 2 * x + 2 * y = 3"),
        "{text}"
    );
    assert!(text.contains("together with: x + y = 1"), "{text}");
    assert!(text.contains("0 = 1"), "{text}");
    assert!(!text.contains("start values near"), "{text}");
}

/// What is constant by its equations cannot begin elsewhere; it was taken for redundant where nothing was left to compute.
#[test]
fn a_constant_does_not_begin_elsewhere() {
    for (k, body) in [
        "Real x(start=1, fixed=true); equation x = 0;",
        "Real x(start=1, fixed=true), y; equation x = 0; der(x) = y;",
        "Real x(start=1, fixed=true), y; parameter Real R = 0; equation x = R*y; der(x) = -y;",
        "Real x(start=1), y; parameter Real R = 0; equation x = R*y; der(x) = -y; initial equation x = 1;",
        "Real x(start=1, fixed=true); parameter Real p = 2; equation x = p;",
        "Real z(start=1, fixed=true), x(start=-3, fixed=true), y(start=1, fixed=true); equation x = -3; y = -x; der(z) = z;",
    ]
    .iter()
    .enumerate()
    {
        let text = refused(&format!("constant-{k}"), &format!("model M {body} end M;"));
        assert!(text.contains("E0503"), "{body}: {text}");
    }
    // The same number, or a start that is only a guess.
    for (k, body) in [
        "Real x(start=0, fixed=true); equation x = 0;",
        "Real x(start=0.3, fixed=true); equation x = 0.1 + 0.2;",
        "Real x(start=1); equation x = 0;",
        "parameter Real p = 2; Real x(start=p, fixed=true); equation x = p;",
        "Boolean b(start=true, fixed=true); equation b = false;",
    ]
    .iter()
    .enumerate()
    {
        let done = launch(
            &format!("the-same-{k}"),
            &format!("model M {body} end M;"),
            &[],
        );
        assert!(
            done.status.success(),
            "{body}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

#[test]
fn a_negative_delay_time_is_an_error() {
    let text = refused(
        "negative-delay",
        "model M
           parameter Real T = -0.5;
           Real y = delay(sin(time), T);
         end M;",
    );
    assert!(text.contains("E0505"), "{text}");
    assert!(text.contains("the delay time -0.5 is negative"), "{text}");
    assert!(text.contains("Model.mo:3"), "{text}");
}

/// What an initial section asserts holds at the start; later it may fail.
#[test]
fn assertions_of_initial_sections_are_said_of_the_start() {
    for section in [
        "initial algorithm t0 := 0.5; assert(time < t0, \"late\");",
        "initial equation t0 = 0.5; if t0 < 1 then assert(time < t0, \"late\"); end if;",
    ] {
        let text = format!(
            "model Late parameter Real t0(fixed=false); Real x = time; {section} end Late;"
        );
        let table = run("Late", &text, &["--stop", "1"]);
        assert_eq!(table.first("x"), 0.0);
    }
    let text = "model Early parameter Real t0(fixed=false); Real x = time;
        initial algorithm t0 := -1; assert(time < t0, \"too late\"); end Early;";
    let failed = launch("Early", text, &["--stop", "1"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("too late"));
}

/// The constructor of an external object may need what the initial system computes.
#[test]
fn an_external_object_may_need_a_parameter_of_the_initial_system() {
    let table = run(
        "Object",
        "model Object
           parameter Real k(fixed=false);
           Modelica.Blocks.Types.ExternalCombiTable1D table = Modelica.Blocks.Types.ExternalCombiTable1D(
             \"NoName\", \"NoName\", [0, 0; 1, k], {2}, Modelica.Blocks.Types.Smoothness.LinearSegments);
           Real y = Modelica.Blocks.Tables.Internal.getTable1DValue(table, 1, time);
         initial equation k = 4;
         end Object;",
        &["--stop", "1"],
    );
    assert!((table.last("y") - 4.0).abs() < 1e-9);
}

#[test]
fn states_are_chosen_with_the_values_of_parameters() {
    // Both tables are 2*u: x + y = 3, and x goes one way as fast as y goes the other. Which of the two is a state depends on slopes of the tables,
    // which are there as soon as parameters have their values.
    let table = run(
        "Slots",
        "model Slots
           Modelica.Blocks.Tables.CombiTable1Ds a(table = [-10, -20; 0, 0; 10, 20]);
           Modelica.Blocks.Tables.CombiTable1Ds b(table = [-10, -20; 0, 0; 10, 20]);
           Real x(start = 1, fixed = true);
           Real y;
         equation
           a.u = x;
           b.u = y;
           a.y[1] + b.y[1] = 6;
           der(x) - der(y) = 2;
         end Slots;",
        &[],
    );
    assert!((table.last("x") - 2.0).abs() < 1e-6, "{}", table.last("x"));
    assert!((table.last("y") - 1.0).abs() < 1e-6, "{}", table.last("y"));
}
