//! The exported structure is the one the equations ask for.

mod pipeline;

use ferrica_qss::Method;
use ferrica_qss::export::{BlockKind, cdpp, picture, powerdevs, structure};
use pipeline::compile;

const TWO_STATES: &str = "model M
  Real x(start = 1, fixed = true); Real y(start = 2, fixed = true); Real w;
equation
  w = 2*x + y;
  der(x) = -x + (if y > 1.5 then 3 else sin(5*time));
  der(y) = -w*y;
end M;";

/// Two integrators, two static functions, one crossing with its function and detection, one source.
/// Couplings by hand: x → f_x; source (the conditional sine) → f_x; detection → source; x, y → f_y;
/// y → g; f_x → x; f_y → y; g → detection.
#[test]
fn blocks_and_couplings() {
    let m = compile(TWO_STATES);
    let s = structure(&m);
    let count = |of: fn(BlockKind) -> bool| s.count(of);
    assert_eq!(count(|k| matches!(k, BlockKind::Integrator(_))), 2);
    assert_eq!(count(|k| matches!(k, BlockKind::Derivative(_))), 2);
    assert_eq!(count(|k| matches!(k, BlockKind::Crossing(_))), 1);
    assert_eq!(count(|k| matches!(k, BlockKind::Detection(_))), 1);
    assert_eq!(count(|k| matches!(k, BlockKind::Source(_))), 1);
    assert_eq!(s.couplings.len(), 9, "{:?}", s.couplings);
    assert!(picture::dot(&s).contains("->"));
    assert!(picture::svg(&s).ends_with("</svg>\n"));
    assert!(
        cdpp::cdpp(&m)[0]
            .1
            .contains("link : out0@derivative0 in0@integrator0")
    );
}

fn target(tolerance: f64) -> powerdevs::Target {
    powerdevs::Target {
        method: Method::parse("qss3").unwrap(),
        tolerance,
        stop: None,
    }
}

/// Blocks of the two functions, the crossing function, its detection, the discrete part, the source, two integrators, the recorder. Couplings
/// by hand: x, source → f_x; x, y → f_y; y → g; f_x → x; f_y → y; g → detection; x, y → recorder and discrete part; detection → discrete
/// part; discrete part → source, g, detection.
#[test]
fn powerdevs_files() {
    let m = compile(TWO_STATES);
    let exported = powerdevs::powerdevs(&m, &target(1e-4)).unwrap();
    assert!(exported.warnings.is_empty());
    let files = exported.files;
    let (name, pds) = &files[0];
    assert_eq!(name, "M.pds");
    assert_eq!(pds.matches("Simulator").count(), 9);
    assert_eq!(pds.matches("qss/qss_integrator.h").count(), 2);
    assert_eq!(pds.lines().filter(|l| l.contains(");(")).count(), 16);
    let (_, code) = &files[2];
    for function in ["der(x)", "der(y)", "y - (1.5)", "function of time 1"] {
        assert!(code.contains(&format!("/* {function} */")), "{function}");
    }
    assert!(code.contains("sin("));
}

/// What PowerDEVS blocks cannot say is refused with the reason.
#[test]
fn what_has_no_block_is_refused() {
    for (text, why) in [
        ("der(x) = delay(x, 0.1);", "`delay`"),
        (
            "der(x) = 1; when x > 0.5 then terminate(\"enough\"); end when;",
            "`terminate`",
        ),
    ] {
        let m = compile(&format!(
            "model M Real x(start = 0, fixed = true); equation {text} end M;"
        ));
        let errors = powerdevs::powerdevs(&m, &target(1e-4)).unwrap_err();
        assert!(errors[0].message.contains(why), "{}", errors[0].message);
    }
}

/// exp(y) + exp(2y) = x + 1e-7 has no solution for x below -1e-7: a quantum of 1e-4 leads there from 0, one of 1e-9 does not.
#[test]
fn a_loop_without_a_solution_within_a_quantum_is_told() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), y(start = -16); equation der(x) = -y; exp(y) + exp(2*y) = x + 1e-7; end M;",
    );
    let warnings = |tolerance| {
        powerdevs::powerdevs(&m, &target(tolerance))
            .unwrap()
            .warnings
    };
    assert!(warnings(1e-9).is_empty());
    let told = warnings(1e-4);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("`der(x)` has no solution where `x` is -0.0001"),
        "{}",
        told[0]
    );
}
