//! Models for other programs: as source code, as coupled DEVS models, as bond graphs.
//!
//! FMUs are written by a crate of their own, on this one.
//!
//! ```
//! use ferrica::exports::bond_report::BondReport;
//! use ferrica::failure::Failure;
//! use ferrica::options::ModelOptions;
//! use ferrica::stages::report::Log;
//!
//! let text = "model RC
//!   Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
//!   Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true));
//!   Modelica.Electrical.Analog.Basic.Ground G;
//! equation
//!   connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p);
//! end RC;";
//! let options = ModelOptions { text: Some(text.to_owned()), ..ModelOptions::default() };
//! // After all steps of its construction.
//! let graph = BondReport::new(&options, u8::MAX, &mut Log::default())?;
//! assert!(graph.multiports().is_empty() && graph.svg().starts_with("<svg"));
//! # Ok::<(), Failure>(())
//! ```

pub mod bond_report;
pub mod coupled;
pub mod source_code;
