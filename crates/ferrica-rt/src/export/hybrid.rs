//! The event part of the code: the passes of an event ([`Passes`]), tables for `settle.c`, `instants.c`, `delays.c` and `lines.c`, and the fields of the model that belong to them.
//!
//! In: the compiled model at its start. Out: text. The passes, instants and histories are those of a run: see [`crate::march`].

use std::fmt::Write;

use ferrica_codegen::c::expression::literal;
use ferrica_codegen::c::instant;
use ferrica_codegen::c::text::{list, nested, row};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;
use ferrica_sim::{
    ACCUMULATION_IN_CODE, DelayBuffers, HYSTERESIS, HYSTERESIS_OF_TOLERANCE, LEAST_SIZE,
    MAX_PASSES, Problem, SAME_TIME, Sampler, c::Passes,
};

use crate::causal::Causal;
use crate::grid::Grid;
use crate::march::curve::{DEAD, RATE_ITERATIONS};
use crate::march::within::{AT_MOST, LOOKS, MET};
use crate::method::RtOptions;

/// Pieces of histories that code may have: each takes 40 bytes.
const MOST_PIECES: usize = 1 << 20;

/// Neighbouring pieces of a line are together at least this part of it.
const LINE_PARTS: usize = 4000;
/// Jumps that may be on their way along a line.
const JUMPS: usize = 1024;
/// The smallest jump that travels on, in parts of the contents' size.
const JUMP_TOLERANCE: f64 = 1e-9;

/// What the event part is made of.
pub(super) struct Hybrid<'a> {
    pub model: &'a CompiledModel,
    pub causal: &'a Causal,
    pub p: &'a Problem,
    pub grid: Grid,
    pub options: &'a RtOptions,
    pub tolerance: f64,
    /// Those of the model, behind the start.
    samplers: Vec<Sampler>,
    /// Assertions that can fail after the start, by number.
    varying: Vec<usize>,
}

/// Can anything happen to the model besides its steps?
pub(crate) fn has_events(model: &CompiledModel) -> bool {
    !model.relations.is_empty()
        || !model.samplers.is_empty()
        || !model.reinits.is_empty()
        || !model.assertions.is_empty()
        || !model.terminates.is_empty()
        || !model.delays.is_empty()
        || !model.transports.is_empty()
        || !model.layout.pre_pairs.is_empty()
        || model.has_terminal_event()
        || model.source.inputs.iter().any(|&v| is_discrete(model, v))
}

/// An input that changes at events only.
pub(super) fn is_discrete(model: &CompiledModel, v: ferrica_ir::expr::VarId) -> bool {
    let var = &model.source.vars[v];
    var.kind == Kind::Discrete || var.var.ty != Ty::Real
}

impl<'a> Hybrid<'a> {
    pub fn new(
        model: &'a CompiledModel,
        causal: &'a Causal,
        p: &'a Problem,
        grid: Grid,
        options: &'a RtOptions,
        tolerance: f64,
        samplers: Vec<Sampler>,
    ) -> Hybrid<'a> {
        // What is said about parameters was looked at before the code was written.
        let written = |slot: Slot| {
            let mut all = ferrica_codegen::program::rows(&model.kernels, &model.action_program);
            all.any(|(k, row)| row[model.kernels.kernels[k].loads as usize..].contains(&slot))
        };
        let varying = (0..model.assertions.len())
            .filter(|&k| written(model.assertions[k].value))
            .collect();
        Hybrid {
            model,
            causal,
            p,
            grid,
            options,
            tolerance,
            samplers,
            varying,
        }
    }

    /// Is anything remembered: delayed signals, contents of lines?
    fn delays(&self) -> bool {
        !self.model.delays.is_empty() || self.lines()
    }

    /// Are there conditions whose change is not known beforehand?
    pub fn crosses(&self) -> bool {
        self.model.relations.iter().any(|r| !r.time_event)
    }

    fn lines(&self) -> bool {
        !self.model.transports.is_empty()
    }

    /// Types that the fields need.
    pub fn types(&self) -> String {
        if !self.lines() {
            return String::new();
        }
        format!(
            "/* A curve over the time of a step, contents that went in on it, and all contents of a line with the places of jumps. */\n\
             typedef struct {{\n    double number[5];\n    int smooth;\n}} @N@_curve;\n\n\
             typedef struct {{\n    double low, high;\n    @N@_curve coordinate, value;\n}} @N@_contents_piece;\n\n\
             typedef struct {{\n    @N@_contents_piece piece[{}];\n    unsigned first, pieces;\n    double jump[{JUMPS}];\n    \
             unsigned first_jump, jumps;\n    double size;\n}} @N@_line;\n\n",
            self.pieces()
        )
    }

    /// Pieces that a line may have: neighbours that are short are made one, and those at the start are there before.
    fn pieces(&self) -> usize {
        let points = self.model.transports.iter().map(|t| t.points.len());
        2 * LINE_PARTS + points.max().unwrap_or(0) + JUMPS
    }

    /// Room for the history of each delayed signal, in pieces: one a step of the longest delay, one an event of a step.
    fn room(&self) -> Vec<usize> {
        let of_one = |d: &ferrica_codegen::model::DelaySlots| {
            let longest = self.p.ev.get(d.delay).max(self.p.ev.get(d.max));
            let steps = (longest / self.grid.step).ceil().max(0.0);
            // After each step an event may change the signal, and within it a jump may come out of a delay.
            (3.0 * (steps + 4.0)).min(1e12) as usize + self.model.relations.len()
        };
        self.model.delays.iter().map(of_one).collect()
    }

    /// Is it asked behind an event what dies away there?
    pub fn restarts(&self) -> bool {
        self.model.layout.n_states > 0
    }

    /// Fields of the model. `slots`: all values of the code.
    pub fn fields(&self, slots: Slot) -> String {
        let m = self.model;
        let unknowns = m.dae.as_ref().map_or(0, |d| d.unknowns.len()) + m.layout.n_states;
        let reads = self.passes("").reads();
        let mut out = format!(
            "    /* Of each condition: its forced side, that before the event; when it changes next, how fast it goes there, and what it did in this step. */\n    \
             int forced[{r}];\n    int kept[{r}];\n    double change[{r}];\n    double slope[{r}];\n    double fired[{r}];\n    double changed[{r}];\n    \
             int memory[{r}];\n    \
             /* What conditions read at the beginning of an event. */\n    double read[{reads}];\n    \
             /* Of each sampler: start and interval, number of its next instant, is it now? */\n    \
             double sampling[{s}][2];\n    double sample[{s}];\n    int due[{s}];\n    \
             /* Of each reinit: is it due, and the value. */\n    int reset[{i}];\n    double reset_to[{i}];\n    /* Has one of them given a value in this pass, was one due in this event? How far apart the sides of each condition were before it. */\n    int given;\n    int met;\n    double gap[{r}];\n    \
             /* The unknowns before an event, and at the grid point while instants inside of the step are met. */\n    double before[{b}];\n    \
             double at_point[{b}];\n    \
             /* The curves of a step: time, values and slopes of the states at both ends; what conditions compare at the first. */\n    \
             double from_time;\n    double to_time;\n    double from[{x}][2];\n    double to[{x}][2];\n    double zero[{r}];\n    \
             /* Bends behind an event that leaves what dies away, and whether the next step, the present curve begins there; of each state the rate of\n       \
             what dies away, 0 for none, and the two other coefficients of its curve; that rate of the state which bends most. */\n    \
             double bend[{x}];\n    int dies_away;\n    int bent;\n    double dying[{x}][3];\n    double layer;\n    \
             /* Has the last event moved unknowns? Was the grid point reached on curves behind an event? */\n    int moved;\n    int resynchronized;\n",
            r = m.relations.len().max(1),
            reads = reads.max(1),
            s = m.samplers.len().max(1),
            i = m.reinits.len().max(1),
            b = unknowns.max(1),
            x = m.layout.n_states.max(1)
        );
        let _ = write!(
            out,
            "    /* All values, while what comes behind an event is looked for. */\n    double held[{slots}];\n"
        );
        if self.crosses() {
            let _ = write!(
                out,
                "    /* Events of each condition, to false and to true: first, last, interval, its part of the one before; how many have shrunk. The condition whose\n       \
                 events may accumulate, when they do and when they are overdue; the first look after that. */\n    \
                 double series[{r}][2][4];\n    int shrinking[{r}][2];\n    int seen[{r}];\n    int watched;\n    double ends;\n    \
                 double overdue;\n    int looked;\n    double looked_since;\n    double looked_zero;\n",
                r = m.relations.len()
            );
        }
        if self.delays() {
            let _ = write!(
                out,
                "    /* Pieces of delayed signals (begin, end, value at both, is it a jump); of each signal the oldest piece and their number, the value where its history\n       \
                 ends and at the last grid point, its size, and the first piece that may be a jump still to come; the time at which values behind a jump are meant, and\n       that up to which jumps have come out. */\n    \
                 double history[{total}][5];\n    unsigned oldest[{d}];\n    unsigned pieces[{d}];\n    double last[{d}];\n    \
                 double signal[{d}];\n    double size[{d}];\n    unsigned jump[{d}];\n    double right_at;\n    int right_at_is_set;\n    double let_go;\n",
                total = self.room().iter().sum::<usize>().max(1),
                d = m.delays.len().max(1)
            );
        }
        if self.lines() {
            let _ = write!(
                out,
                "    /* Contents of lines, and what would go in at their ends and their positions at the last grid point. */\n    \
                 @N@_line line[{n}];\n    double line_signal[{n}][3];\n",
                n = m.transports.len()
            );
        }
        out
    }

    /// Statements of `init`.
    pub fn init(&self, n: &str) -> String {
        let mut init = String::new();
        if self.crosses() {
            let _ = write!(
                init,
                "    for (k = 0; k < {}; k++) {{\n        m->shrinking[k][0] = -1;\n        m->shrinking[k][1] = -1;\n        \
                 m->seen[k] = {n}_timed[k] ? -1 : {n}_is_true(m->s[{n}_relation[k][0]]);\n    }}\n    m->watched = -1;\n    m->looked = -1;\n",
                self.model.relations.len()
            );
        }
        for (k, sampler) in self.samplers.iter().enumerate() {
            let (next, first, interval) = sampler.in_code();
            for (name, value) in [
                (format!("sample[{k}]"), next),
                (format!("sampling[{k}][0]"), first),
                (format!("sampling[{k}][1]"), interval),
            ] {
                let _ = writeln!(init, "    m->{name} = {};", literal(value));
            }
        }
        for (k, (now, size)) in (self.p.delays.last().zip(self.p.delays.sizes())).enumerate() {
            let size = literal(size);
            let (now, at) = (literal(now), literal(self.grid.start));
            let _ = write!(
                init,
                "    m->oldest[{k}] = 0U;\n    m->pieces[{k}] = 0U;\n    m->signal[{k}] = {now};\n    m->size[{k}] = {size};\n    m->jump[{k}] = 0U;\n    \
                 (void){n}_remember(m, {k}, {at}, {at}, {now}, {now});\n"
            );
        }
        if self.delays() {
            let at = literal(self.grid.start);
            if self.lines() {
                let _ = writeln!(init, "    {n}_begin_lines(m);");
            }
            let _ = write!(
                init,
                "    m->right_at = {at};\n    m->right_at_is_set = 1;\n    m->let_go = {at};\n"
            );
        }
        let _ = writeln!(init, "    (void){n}_predict(m);");
        init
    }

    /// A statement that is only there with delays, at a depth of blocks.
    pub fn with_delays(&self, text: &str) -> String {
        match self.delays() {
            true => text.to_string(),
            false => String::new(),
        }
    }

    /// The functions.
    pub fn text(&self) -> Result<String, String> {
        let delays = match self.delays() {
            true => self.delay_text()?,
            false => String::new(),
        };
        let in_pass = match (self.delays(), self.p.delays.all_constant()) {
            (false, _) => String::new(),
            (true, constant) => format!(
                "        if (pass == 0 || !{}) {{\n            e = @N@_apply_delays(m);\n            if (e != 0) {{\n                break;\n            }}\n        }}\n",
                u8::from(constant)
            ),
        };
        let passes = self.passes(&in_pass).text("@N@");
        let settle = self.event_text(include_str!("c/settle.c"));
        let instants = self.event_text(include_str!("c/instants.c"));
        let accumulation = match self.crosses() {
            true => {
                let mut text = include_str!("c/accumulation.c").to_string();
                for (name, value) in ACCUMULATION_IN_CODE {
                    text = text.replace(name, &literal(value));
                }
                self.event_text(&text)
            }
            false => String::new(),
        };
        let within = self.event_text(include_str!("c/within.c"));
        let numbers = instant("@N@", SAME_TIME);
        let advance = "static int @N@_advance(@N@_model *m);\n\n";
        let texts = [
            &numbers[..],
            advance,
            &delays,
            &passes,
            &settle,
            &accumulation,
            &instants,
            &within,
        ];
        Ok(texts.concat())
    }

    /// The passes of an event, beginning with these statements.
    fn passes<'b>(&'b self, recall: &'b str) -> Passes<'b> {
        Passes {
            model: self.model,
            scope: &self.p.scope,
            band: 10.0 * self.tolerance,
            most: self.options.event_passes.max(1),
            recall,
        }
    }

    fn delay_text(&self) -> Result<String, String> {
        let m = self.model;
        let room = self.room();
        let total: usize = room.iter().sum();
        if total > MOST_PIECES {
            return Err(format!(
                "histories of delayed signals need {total} pieces, the code may have {MOST_PIECES}: a longer step would do"
            ));
        }
        let mut from = vec![0];
        for r in room {
            from.push(from[from.len() - 1] + r);
        }
        let delays = m.delays.iter();
        let delays =
            delays.map(|d| row(&[d.result, d.source, d.delay, d.max, u32::from(d.constant)]));
        // At the start a delayed value is that before it.
        let first = m.delays.iter().map(|d| literal(self.p.ev.get(d.result)));
        let with_lines = |text: &'static str| if self.lines() { text } else { "" };
        Ok(include_str!("c/delays.c")
            .replace("@LINE_TEXT@", &self.line_text())
            .replace("@READ_LINES@", with_lines("    @N@_read_lines(m);\n"))
            .replace(
                "@TAKE_LINES@",
                with_lines("    for (k = 0; k < @UPPER@_LINES; k++) {\n        @N@_line_signals(m, k, m->line_signal[k]);\n    }\n"),
            )
            .replace(
                "@LINES_BEFORE@",
                with_lines("    double line_before[@UPPER@_LINES][3];\n    (void)memcpy(line_before, m->line_signal, sizeof line_before);\n"),
            )
            .replace(
                "@PUSH_LINES@",
                with_lines(
                    "    for (k = 0; e == 0 && k < @UPPER@_LINES; k++) {\n        \
                     e = @N@_push_line(&m->line[k], line_before[k], m->line_signal[k]);\n    }\n",
                ),
            )
            .replace("@N_DELAYS_OR_1@", &m.delays.len().max(1).to_string())
            .replace("@DELAYS@", &nested(delays))
            .replace("@ROOM_FROM@", &list(from.iter()))
            .replace("@FIRST@", &list(first))
            .replace(
                "@CONSTANT_DELAYS@",
                &u8::from(self.p.delays.all_constant()).to_string(),
            )
            .replace("@LEAST_JUMP@", &literal(DelayBuffers::least_jump(self.tolerance)))
            .replace("@LEAST_SIZE@", &literal(LEAST_SIZE))
            .replace("@SAME_TIME@", &literal(SAME_TIME))
            .replace("@N_DELAYS@", &m.delays.len().to_string()))
    }

    /// The functions of lines.
    fn line_text(&self) -> String {
        let m = self.model;
        if !self.lines() {
            return String::new();
        }
        let lines = m.transports.iter().map(|t| {
            let [a, b] = t.results;
            let [c, d] = t.sources;
            row(&[a, b, c, d, t.position])
        });
        let (mut from, mut contents) = (vec![0], Vec::new());
        for t in &m.transports {
            for (&place, &value) in t.points.iter().zip(&t.values) {
                let [place, value] = [place, value].map(|s| literal(self.p.ev.get(s)));
                contents.push(format!("{{ {place}, {value} }}"));
            }
            from.push(contents.len());
        }
        include_str!("c/lines.c")
            .replace("@N_LINES@", &m.transports.len().to_string())
            .replace("@N_PIECES@", &self.pieces().to_string())
            .replace("@N_JUMPS@", &JUMPS.to_string())
            .replace("@LINES@", &nested(lines))
            .replace("@CONTENTS_FROM@", &list(from.iter()))
            .replace("@CONTENTS@", &nested(contents.into_iter()))
            .replace("@JUMP_TOLERANCE@", &literal(JUMP_TOLERANCE))
    }

    fn event_text(&self, template: &str) -> String {
        let m = self.model;
        let layout = &m.layout;
        let timed = m.relations.iter().any(|r| r.time_event);
        let crosses = self.crosses();
        let count = m.relations.len();
        let unknowns = m.dae.as_ref().map_or(&[][..], |d| &d.unknowns);
        let derivatives = (0..layout.n_states as u32).map(|k| layout.derivatives + k);
        let compared: Vec<u32> = unknowns.iter().copied().chain(derivatives).collect();
        let depth = self.options.method.depth();
        let assertions = m.assertions.iter().enumerate().map(|(k, a)| {
            // One that cannot fail any more reads a flag that is always set.
            let value = if self.varying.contains(&k) {
                a.value
            } else {
                Layout::HOMOTOPY
            };
            let is_error = u32::from(m.source.assertions[k].is_error);
            row(&[a.guard.unwrap_or(0), value, is_error])
        });
        let terminations = m.terminates.iter().filter_map(|t| t.guard);
        let fill: [(&str, String); 38] = [
            (
                "@DELAYS_AT_POINT@",
                self.with_delays("        e = @N@_apply_delays(m);\n"),
            ),
            (
                "@NEXT_JUMP@",
                match self.delays() {
                    true => "@N@_next_jump(m)",
                    false => "HUGE_VAL",
                }
                .to_string(),
            ),
            (
                "@LET_GO@",
                self.with_delays("        @N@_let_go(m, at);\n"),
            ),
            (
                "@DELAYS_AFTER_EVENT@",
                self.with_delays(
                    "    if (e == 0) {\n        e = @N@_delays_after_event(m);\n    }\n",
                ),
            ),
            (
                "@DELAYS_AFTER_POINT@",
                self.with_delays("    if (e == 0) {\n        e = @N@_take_signals(m);\n    }\n"),
            ),
            (
                "@DELAYS_IN_PLACE@",
                self.with_delays("            e = @N@_apply_delays(m);\n"),
            ),
            (
                "@REMEMBER@",
                self.with_delays(
                    "            if (e == 0) {\n                e = @N@_push_delays(m, *remembered);\n            }\n",
                ),
            ),
            (
                "@NOTICE@",
                match crosses {
                    true => "@N@_notice(m);",
                    false => "",
                }
                .to_string(),
            ),
            ("@AT_MOST@", AT_MOST.to_string()),
            ("@LOOKS@", LOOKS.to_string()),
            ("@MET@", literal(MET)),
            ("@DEAD@", literal(DEAD)),
            ("@RATE_ITERATIONS@", RATE_ITERATIONS.to_string()),
            (
                "@SIZE_OF_STATE@",
                match self.restarts() {
                    true => "@N@_sizes[k]".to_string(),
                    false => "0.0".to_string(),
                },
            ),
            ("@HYSTERESIS@", literal(HYSTERESIS)),
            (
                "@WIDTH@",
                literal(HYSTERESIS_OF_TOLERANCE * self.tolerance),
            ),
            ("@DERIVATIVES@", layout.derivatives.to_string()),
            ("@ASSERTIONS@", nested(assertions)),
            ("@TERMINATIONS@", list(terminations)),
            ("@H@", literal(self.grid.step)),
            ("@BAND@", literal(10.0 * self.tolerance)),
            ("@ROUGHLY@", literal(ferrica_sim::ROUGHLY)),
            ("@MAX_PASSES@", MAX_PASSES.to_string()),
            ("@PASSES@", self.options.event_passes.max(1).to_string()),
            ("@HAS_TIMED@", u8::from(timed).to_string()),
            ("@N_TIMED@", if timed { count } else { 0 }.to_string()),
            ("@CROSSES@", u8::from(crosses).to_string()),
            ("@ASSERTS@", u8::from(!self.varying.is_empty()).to_string()),
            ("@UNKNOWNS@", list(compared.iter())),
            ("@N_UNKNOWNS@", compared.len().to_string()),
            ("@N_RELATIONS@", count.to_string()),
            ("@N_SAMPLERS@", m.samplers.len().to_string()),
            ("@N_ASSERTIONS@", m.assertions.len().to_string()),
            ("@N_TERMINATIONS@", m.terminates.len().to_string()),
            ("@HISTORY_DEPTH@", (depth - 1).to_string()),
            (
                "@TURNS_AROUND@",
                match self.restarts() {
                    true => match self.options.method.restart_steps() {
                        0 => "    m->dies_away = @N@_turns_around(m);\n".to_string(),
                        steps => format!(
                            "    m->dies_away = @N@_turns_around(m);\n    if (m->dies_away) {{\n        m->start_up = 0;\n        m->restart = {steps};\n    }}\n"
                        ),
                    },
                    false => String::new(),
                },
            ),
            ("@HISTORY@", self.causal.extra.history.to_string()),
            ("@STATES@", layout.states.to_string()),
        ];
        let mut text = template.to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        text.replace("@N_STATES_OR_1@", &layout.n_states.max(1).to_string())
            .replace("@N_STATES@", &layout.n_states.to_string())
    }
}
