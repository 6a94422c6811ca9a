//! One row of a kernel as C statements: operands into constants, operations, stores.

use std::fmt::Write;

use super::CUnit;
use super::expression::literal;
use crate::kernel::{CallSite, Callee, Kernel, NO_REG, Op};

/// Where the operands and results of a row are.
pub(super) enum Place<'a> {
    /// At these slots.
    Fixed(&'a [u32]),
    /// At the slots that the table `r` names.
    Row,
}

impl Place<'_> {
    fn slot(&self, k: usize) -> String {
        match self {
            Place::Fixed(row) => format!("s[{}]", row[k]),
            Place::Row => format!("s[r[{k}]]"),
        }
    }
}

impl CUnit<'_> {
    /// Statements of a kernel without dead operations. They stand in a function that returns `int` if the
    /// kernel has calls.
    pub(super) fn row(&mut self, kernel: &Kernel, place: &Place<'_>) -> Result<String, String> {
        let mut out = String::new();
        // What stands for each register: a constant, a name, an element of a call's outputs.
        let mut names: Vec<String> = Vec::with_capacity(kernel.ops.len());
        let mut call = (0, 0);
        for (r, op) in kernel.ops.iter().enumerate() {
            let arithmetic = self
                .operations
                .arithmetic(op, |r| names[r as usize].as_str());
            let value = match *op {
                Op::Const(bits) => {
                    names.push(literal(f64::from_bits(bits)));
                    continue;
                }
                Op::Call(site) => {
                    let site = &kernel.calls[site as usize];
                    let text = self.call(site, r, &names)?;
                    out.push_str(&text);
                    call = (r, 0);
                    names.push(format!("c{r}[0]"));
                    continue;
                }
                Op::Result => {
                    call.1 += 1;
                    names.push(format!("c{}[{}]", call.0, call.1));
                    continue;
                }
                Op::Load(k) => place.slot(k as usize),
                _ => arithmetic.unwrap_or_else(|| Err("no form in C".to_string()))?,
            };
            let _ = writeln!(out, "        const double r{r} = {value};");
            names.push(format!("r{r}"));
        }
        for (j, &r) in kernel.results.iter().enumerate() {
            let to = place.slot(kernel.loads as usize + j);
            let _ = writeln!(out, "        {to} = {};", names[r as usize]);
        }
        Ok(out)
    }

    fn call(&mut self, site: &CallSite, r: usize, names: &[String]) -> Result<String, String> {
        let name = match site.callee {
            Callee::Function(f) => self.function(f)?,
            Callee::Jacobian(f) => self.jacobian(f)?,
            Callee::Tangent(f) => self.tangent(f)?,
            Callee::Text(_) => {
                return Err("strings have no form in C".to_string());
            }
        };
        let args: Vec<&str> = site
            .args
            .iter()
            .map(|&a| names[a as usize].as_str())
            .collect();
        let list = if args.is_empty() {
            "0.0".to_string()
        } else {
            args.join(", ")
        };
        let mut out = String::new();
        let _ = writeln!(
            out,
            "        double c{r}[{}] = {{0.0}};",
            site.outputs.max(1)
        );
        let guard = if site.guard == NO_REG {
            String::new()
        } else {
            format!("if ({} != 0.0) ", names[site.guard as usize])
        };
        let _ = writeln!(
            out,
            "        {guard}{{ const double a[{}] = {{{list}}}; const int e = {name}(a, c{r}); if (e) return e; }}",
            args.len().max(1)
        );
        Ok(out)
    }
}
