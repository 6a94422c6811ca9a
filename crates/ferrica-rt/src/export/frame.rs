//! The files around the code: the header, the demo and the Makefile.

use ferrica_codegen::c::expression::comment;
use ferrica_sim::Experiment;

use super::Purpose;
use super::hybrid::Hybrid;
use super::writer::{Layed, Writer};

impl Writer<'_> {
    pub(super) fn header(&self, layed: &Layed) -> String {
        let m = self.model;
        let channels = layed.channels;
        let fill = [
            ("@MODEL@", comment(&m.source.name)),
            ("@WORK@", layed.work.words()),
            ("@SOLVER@", self.options.method.name().to_string()),
            ("@N_VARIABLES@", self.variables.len().to_string()),
            ("@N_INPUTS@", channels.inputs.len().to_string()),
            ("@N_PARAMETERS@", channels.parameters.len().to_string()),
            ("@FAILED_ASSERTION@", (layed.failures + 1).to_string()),
            (
                "@TERMINATED@",
                (layed.failures + 1 + m.assertions.len()).to_string(),
            ),
            ("@TERMINAL@", u8::from(m.has_terminal_event()).to_string()),
            (
                "@REFRESH@",
                match self.purpose {
                    Purpose::Program => "",
                    _ => {
                        "/* All values at the present point, after inputs or parameters were set. */\n\
                         int @N@_refresh(@N@_model *m);\n"
                    }
                }
                .to_string(),
            ),
            ("@ENUMERATIONS@", channels.enumerations(self.name)),
            (
                "@WATCHED@",
                match self.iterates() {
                    true => format!(
                        "    /* Steps that have not converged, those at the last look, and where each state is looked at. */\n    \
                         unsigned long unconverged;\n    unsigned long unconverged_before;\n    double scale[{}];\n",
                        m.layout.n_states.max(1)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@TYPES@",
                self.hybrid.as_ref().map_or(String::new(), Hybrid::types),
            ),
            ("@N_SLOTS@", layed.slots.to_string()),
            (
                "@FIELDS@",
                (self.hybrid.as_ref()).map_or(String::new(), |h| h.fields(layed.slots)),
            ),
            (
                "@SET_PARAMETER@",
                match channels.parameters.is_empty() {
                    true => "",
                    false => {
                        "/* Another value of a parameter from now on; 0, or the number of a failure. */\n\
                         int @N@_set_parameter(@N@_model *m, int parameter, double value);\n\
                         double @N@_get_parameter(const @N@_model *m, int parameter);\n"
                    }
                }
                .to_string(),
            ),
            (
                "@DESCRIBE@",
                match layed.messages.is_empty() {
                    true => "",
                    false => {
                        "/* The same with the numbers of the message as they are now. */\n\
                         void @N@_describe(@N@_model *m, int result, char *text, unsigned long size);\n"
                    }
                }
                .to_string(),
            ),
        ];
        let mut text = include_str!("c/header.h").to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }

    pub(super) fn main_text(&self, experiment: &Experiment) -> String {
        let every = (experiment.interval / self.grid.step).round().max(1.0);
        // The last step that does not pass the stop time.
        let grid = &self.grid;
        let passes =
            grid.time(grid.steps) > grid.stop && !grid.same(grid.time(grid.steps), grid.stop);
        let steps = grid.steps - u64::from(passes);
        let describe = match self.model.assertions.is_empty() && self.model.terminates.is_empty() {
            true => "    (void)snprintf(text, sizeof text, \"%s\", @N@_message(result));\n",
            false => "    @N@_describe(&model, result, text, sizeof text);\n",
        };
        let text = include_str!("c/main.c")
            .replace("@STEPS@", &steps.to_string())
            .replace("@EVERY@", &every.to_string())
            .replace("@ITERATIONS@", &self.options.iterations.to_string())
            .replace("@SAY@", describe);
        self.named(&text)
    }

    pub(super) fn makefile(&self) -> String {
        let n = self.name;
        format!(
            "CC ?= cc\nCFLAGS ?= -O2\nALL_CFLAGS = -std=c99 -Wall -Wextra -Werror -pedantic -ffp-contract=off $(CFLAGS)\n\n\
             {n}: main.o {n}.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm\n\n\
             {n}_realtime: realtime.o {n}.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm\n\n\
             %.o: %.c {n}.h\n\t$(CC) $(ALL_CFLAGS) -c -o $@ $<\n\n\
             clean:\n\trm -f {n} {n}_realtime main.o realtime.o {n}.o\n\n.PHONY: clean\n"
        )
    }
}
