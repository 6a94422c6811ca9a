//! The text of `init`, `step` and what a caller asks of them.

use ferrica_codegen::layout::Layout;

use super::Purpose;
use super::messages;
use super::writer::{Layed, Writer};
use crate::method::{BdfStart, Method};

impl Writer<'_> {
    pub(super) fn step_text(&self, layed: &Layed) -> String {
        let start_up = match (self.options.method, self.options.start) {
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, BdfStart::Trapezoid) => {
                self.options.method.depth()
            }
            _ => 0,
        };
        let formula = |method: Method| {
            let c = method.leading(self.grid.step);
            let place = self.causal.reductions.iter().position(|r| r.c == c);
            place.unwrap_or(0)
        };
        let starting = formula(Method::TrapezoidUnprojected);
        let hybrid = self.hybrid.as_ref();
        let delays = |text: &str| hybrid.map_or(String::new(), |h| h.with_delays(text));
        let with_events = |text: &str| hybrid.map_or("", |_| text).to_string();
        let terminate = match self.model.has_terminal_event() {
            true => format!(
                "    m->s[{}] = 1.0;\n    @N@_nothing_due(m);\n    e = @N@_instant(m);\n",
                Layout::TERMINAL
            ),
            false => "    (void)m;\n".to_string(),
        };
        let fill = [
            ("@N_SLOTS@", layed.slots.to_string()),
            ("@START_UP@", start_up.to_string()),
            ("@INIT_WATCH@", self.init_watch()),
            (
                "@WATCH_START@",
                match self.watches_start() {
                    true => "        if (e == 0 && m->step == 1UL) {\n            @N@_watch_start(m);\n        }\n",
                    false => "",
                }
                .to_string(),
            ),
            (
                "@CALL_WATCH@",
                self.call_watch(),
            ),
            (
                "@UNCONVERGED@",
                match self.iterates() {
                    true => "    return m->unconverged;\n",
                    false => "    (void)m;\n    return 0UL;\n",
                }
                .to_string(),
            ),
            ("@N_CORE@", self.causal.plan.unknowns.len().to_string()),
            (
                "@N_OUTPUTS@",
                self.causal.plan.output_columns.len().to_string(),
            ),
            ("@STARTING@", starting.to_string()),
            (
                "@RESTART@",
                match self.restarts() {
                    true => format!(
                        " else if (m->restart > 0) {{\n        m->restart -= 1;\n        e = @N@_formula{}(s);\n    }}",
                        formula(Method::Bdf1)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@INIT@",
                hybrid.map_or(String::new(), |h| h.init(self.name)),
            ),
            (
                "@TOUCHED@",
                with_events(
                    "    if (e == 0 && m->touched != 0) {\n        m->touched = 0;\n        e = @N@_happen(m, 0);\n    }\n",
                ),
            ),
            (
                "@BEGIN@",
                with_events("        double remembered = s[0];\n        e = @N@_begin_step(m);\n"),
            ),
            (
                "@DELAYS_AT_POINT@",
                delays("    e = @N@_apply_delays(m);\n"),
            ),
            (
                "@WITHIN@",
                with_events(
                    "        if (e == 0) {\n            e = @N@_within(m, &remembered);\n        }\n",
                ),
            ),
            (
                "@RESYNCHRONIZED@",
                with_events(
                    "        if (e == 0 && m->ended == 0 && m->resynchronized) {\n            @N@_begin_history(m);\n        }\n",
                ),
            ),
            (
                "@PUSH_DELAYS@",
                delays(
                    "        if (e == 0 && m->ended == 0) {\n            e = @N@_push_delays(m, remembered);\n        }\n",
                ),
            ),
            (
                "@CALL_EVENTS@",
                with_events("        if (e == 0 && m->ended == 0) {\n            e = @N@_event(m);\n        }\n"),
            ),
            ("@TERMINATE@", terminate),
            (
                "@REFRESH@",
                match (self.purpose, hybrid) {
                    (Purpose::Program, _) => "",
                    (_, Some(_)) => {
                        "\nint @N@_refresh(@N@_model *m)\n{\n    m->touched = 0;\n    return @N@_happen(m, 0);\n}\n"
                    }
                    (_, None) => {
                        "\nint @N@_refresh(@N@_model *m)\n{\n    return @N@_continuous(m->s);\n}\n"
                    }
                }
                .to_string(),
            ),
            (
                "@NEXT_EVENT@",
                match hybrid {
                    Some(_) => "    return @N@_next(m);\n".to_string(),
                    None => "    (void)m;\n    return HUGE_VAL;\n".to_string(),
                },
            ),
        ];
        let mut text = include_str!("c/step.c").to_string() + &messages::tables(layed.messages);
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }
}
