//! What assertions and terminations say, as tables of the code.
//!
//! In: the programs of their messages. Out: for each a list of pieces: texts, and numbers that a small program of its own puts into slots behind those of the
//! model. A message that is more than texts and numbers in a row is told by its condition.

use std::fmt::Write;

use ferrica_codegen::c::text::quoted;
use ferrica_codegen::kernel::{Callee, Kernel, Op, Reg, TextOp};
use ferrica_codegen::partials::prune;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::print;

use ferrica_codegen::limits::constant;
use ferrica_codegen::program::rows;

/// Significant digits of a number in a text, where nothing is said.
const DIGITS: u32 = 6;

enum Piece {
    Text(String),
    Real(Slot, u32),
    Integer(Slot),
    /// Names of the values from this one on: of a Boolean from 0, of an enumeration from 1.
    Named(Slot, u32, Vec<String>),
}

pub(super) struct Message {
    pieces: Vec<Piece>,
    /// Puts the numbers into their slots.
    pub numbers: Program,
}

/// Messages of all assertions, then of all terminations. Kernels grow by those of the numbers, slots from `next` on are taken.
pub(super) fn messages(ev: &Evaluator, kernels: &mut Kernels, next: &mut Slot) -> Vec<Message> {
    let model = &*ev.model;
    let source = &model.source;
    let mut all = Vec::new();
    for (assertion, program) in source.assertions.iter().zip(&model.assertion_messages) {
        let component = source.components.get(assertion.component as usize);
        let place = match component.map_or("", |c| c.path.as_str()) {
            "" => String::new(),
            path => format!(" in `{path}`"),
        };
        let mut message = message(ev, program, kernels, next).unwrap_or_else(|| {
            let condition = print::expr(&source.exprs, &**source, assertion.condition);
            Message::text(format!("condition: {condition}"))
        });
        let head = format!("assertion{place} failed: ");
        message.pieces.insert(0, Piece::Text(head));
        all.push(message);
    }
    for program in &model.terminate_messages {
        let message = message(ev, program, kernels, next);
        all.push(message.unwrap_or_else(|| Message::text("terminated".to_string())));
    }
    all
}

impl Message {
    fn text(text: String) -> Message {
        Message {
            pieces: vec![Piece::Text(text)],
            numbers: Program::default(),
        }
    }

    /// Without its numbers.
    pub fn outline(&self) -> String {
        let text = |p: &Piece| match p {
            Piece::Text(text) => text.clone(),
            _ => "...".to_string(),
        };
        self.pieces.iter().map(text).collect()
    }
}

/// A reader of one kernel.
struct Reader<'a> {
    ev: &'a Evaluator,
    kernel: &'a Kernel,
    row: &'a [Slot],
    /// Registers of numbers, for slots from `next` on.
    numbers: Vec<Reg>,
    next: Slot,
}

fn message(
    ev: &Evaluator,
    program: &Program,
    kernels: &mut Kernels,
    next: &mut Slot,
) -> Option<Message> {
    let model = &*ev.model;
    let mut all = rows(&model.kernels, program);
    let (Some((id, row)), None) = (all.next(), all.next()) else {
        return None;
    };
    let kernel = &model.kernels.kernels[id];
    let mut reader = Reader {
        ev,
        kernel,
        row,
        numbers: Vec::new(),
        next: *next,
    };
    let pieces = reader.text(*kernel.results.first()?)?;
    let mut numbers = Program::default();
    if !reader.numbers.is_empty() {
        let mut code = kernel.clone();
        code.results = reader.numbers.clone();
        prune(&mut code);
        // What is left may call functions, but no operations on texts.
        if code
            .calls
            .iter()
            .any(|c| matches!(c.callee, Callee::Text(_)))
        {
            return None;
        }
        let mut line = row[..kernel.loads as usize].to_vec();
        line.extend(*next..*next + code.results.len() as Slot);
        *next += code.results.len() as Slot;
        numbers.push_row(kernels.intern(code), &line, false);
    }
    Some(Message { pieces, numbers })
}

impl Reader<'_> {
    /// The pieces of a register that holds a text.
    fn text(&mut self, r: Reg) -> Option<Vec<Piece>> {
        let kernel = self.kernel;
        match kernel.ops[r as usize] {
            Op::Load(k) => {
                let slot = self.row[k as usize];
                let model: &CompiledModel = &self.ev.model;
                constant(model, &self.ev.slots, slot)?;
                Some(vec![Piece::Text(self.ev.text(slot).to_string())])
            }
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                let Callee::Text(op) = site.callee else {
                    return None;
                };
                let args = &site.args;
                Some(vec![match op {
                    TextOp::Concat => {
                        let mut pieces = self.text(args[0])?;
                        pieces.extend(self.text(args[1])?);
                        return Some(pieces);
                    }
                    TextOp::FromReal => Piece::Real(self.number(args[0]), DIGITS),
                    TextOp::FromDigits => {
                        let digits = self.fixed(*args.get(1)?)?;
                        Piece::Real(self.number(args[0]), digits.clamp(1.0, 17.0) as u32)
                    }
                    TextOp::FromInteger => Piece::Integer(self.number(args[0])),
                    TextOp::FromBoolean => {
                        let names = ["false", "true"].map(str::to_string);
                        Piece::Named(self.number(args[0]), 0, names.to_vec())
                    }
                    TextOp::FromEnum(e) => {
                        let names = self.ev.rt.enums.get(e as usize)?.clone();
                        Piece::Named(self.number(args[0]), 1, names)
                    }
                    TextOp::Pad => return self.text(args[0]),
                    _ => return None,
                }])
            }
            _ => None,
        }
    }

    fn number(&mut self, r: Reg) -> Slot {
        self.numbers.push(r);
        self.next += 1;
        self.next - 1
    }

    /// A number that is known now.
    fn fixed(&self, r: Reg) -> Option<f64> {
        match self.kernel.ops[r as usize] {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            Op::Load(k) => constant(&self.ev.model, &self.ev.slots, self.row[k as usize]),
            _ => None,
        }
    }
}

/// The tables and the function that puts a message together; nothing where there are no messages.
pub(super) fn tables(all: &[Message]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    let (mut pieces, mut from, mut cases) = (Vec::new(), vec!["0".to_string()], String::new());
    for (k, message) in all.iter().enumerate() {
        for piece in &message.pieces {
            pieces.push(match piece {
                Piece::Text(text) => format!("{{ {}, 0, 0, 0 }}", quoted(text)),
                Piece::Real(slot, digits) => format!("{{ 0, 0, {slot}, {digits} }}"),
                Piece::Integer(slot) => format!("{{ 0, 0, {slot}, 0 }}"),
                Piece::Named(slot, first, names) => {
                    let name = format!("@N@_names{}", pieces.len());
                    let quoted: Vec<String> = names.iter().map(|t| quoted(t)).collect();
                    let _ = writeln!(
                        out,
                        "static const char *const {name}[] = {{ {} }};",
                        quoted.join(", ")
                    );
                    format!("{{ 0, {name}, {slot}, {first} }}")
                }
            });
        }
        from.push(pieces.len().to_string());
        if !message.numbers.is_empty() {
            let _ = write!(
                cases,
                "    case {k}:\n        (void)@N@_words{k}(s);\n        break;\n"
            );
        }
    }
    let text = include_str!("c/words.c")
        .replace("@PIECES@", &pieces.join(",\n    "))
        .replace("@FROM@", &from.join(", "))
        .replace("@CASES@", &cases)
        .replace("@COUNT@", &all.len().to_string());
    out + &text
}
