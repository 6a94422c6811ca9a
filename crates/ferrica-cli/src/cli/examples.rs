//! What the help of each command ends with: examples that run.

pub(super) const EXAMPLES: &str = "\
Examples:
  ferrica run circuit.mo                        simulate the last model in the file
  ferrica run circuit.mo --plot 'C1.v,R1.i'     ... and draw two variables
  ferrica run -m Modelica.Blocks.Examples.PID_Controller --stop 4
  ferrica check circuit.mo                      only look for errors
  ferrica diff reference.csv circuit.csv        are the two results the same?

`ferrica COMMAND --help` shows the flags and examples of a command.";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  ferrica run rc.mo                             results go to rc's MODEL.csv
  ferrica run rc.mo -p R.R=50 -p C.v.start=1    other values, as if the text had them
  ferrica run rc.mo --stop 10 --tol 1e-8 -o rc.mat
  ferrica run rc.mo -o - --vars 'C.*' | head    CSV on standard output
  ferrica run rc.mo --solver qss3 --stats cost.json
  ferrica run -m Modelica.Electrical.Analog.Examples.CauerLowPassAnalog --lib ~/libraries";

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  ferrica check circuit.mo
  ferrica check -m Modelica.Blocks.Examples.PID_Controller";

pub(super) const DUMP_EXAMPLES: &str = "\
Examples:
  ferrica dump --stage flat circuit.mo          all variables and equations
  ferrica dump --stage blocks circuit.mo        in the order they are solved";

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  ferrica compare circuit.mo --solvers bdf,qss3,rt-bdf3
  ferrica compare circuit.mo --solvers bdf,radau --tols 1e-4,1e-6,1e-8 -o work.svg
  ferrica compare -m Ferrica.Benchmarks.RLC --solvers rt-tr,rt-bdf2,rt-bdf3 --precision low,high \\
      --monitor V3,L1.i --samples 1000 --reference converged
                                                largest steps and fewest iterations that meet a precision";

pub(super) const BOND_EXAMPLES: &str = "\
Examples:
  ferrica bond motor.mo                         a diagnosis in words
  ferrica bond motor.mo -o motor.svg            and a picture (or .dot)";

pub(super) const DEVS_EXAMPLES: &str = "\
Examples:
  ferrica devs circuit.mo --format powerdevs -o out/
  ferrica devs circuit.mo --format cdpp -o out/";

pub(super) const IMPORT_EXAMPLES: &str = "\
Examples:
  ferrica import pump.fmu -o Pump.mo            a block to use in models beside it
  ferrica import pump.fmu --type cs -o Pump.mo  stepped by its own solver
  ferrica run pump.fmu --allow-external         run it alone
  ferrica import plant.ssp -o Plant.mo          a system of FMUs as a model";

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  ferrica sweep rc.mo -p R.R=10:10:100 --vars C.v       final values for ten resistors
  ferrica sweep rc.mo -p R.R=1,10 -p C.C=1e-6:1e-6:1e-4 -o study.csv
  ferrica sweep rc.mo -p R.R=1,10 -p C.C=1e-6:1e-6:1e-4 -o study.csv --resume";

pub(super) const EXPORT_EXAMPLES: &str = "\
Examples:
  ferrica export fmu circuit.mo -o circuit.fmu  FMI 3.0, Model Exchange and Co-Simulation
  ferrica export fmu drive.mo --fmi 2 --type cs --solver radau --black-box -o drive.fmu
  ferrica export c circuit.mo --solver rt-bdf2 --step 1e-3 -o out/
  make -C out && out/circuit_rt                 builds the demo, which prints CSV";

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  ferrica diff reference.csv result.mat         exit code 1 if they differ
  ferrica diff a.csv b.csv --tol 1e-4 --vars 'C*.v' --worst 10
  ferrica diff reference.csv result.csv --plot worst.svg";

pub(super) const LINEARIZE_EXAMPLES: &str = "\
Examples:
  ferrica linearize drive.mo                    eigenvalues at the start of a run
  ferrica linearize drive.mo --at 2 --input u --output motor.w -o ss.json
  ferrica linearize tank.mo --input valve=0.5   around another value of an input";

pub(super) const STEADY_EXAMPLES: &str = "\
Examples:
  ferrica steady tank.mo                        start values at which nothing moves
  ferrica steady tank.mo --input q=0.5 -o point.json
  ferrica steady drive.mo --free shaft.phi      the angle goes on turning
  ferrica run tank.mo --steady                  a run that begins there";

pub(super) const SENSITIVITY_EXAMPLES: &str = "\
Examples:
  ferrica sensitivity rc.mo --of C.v --to R.R,C.C
  ferrica sensitivity ball.mo --of h --to e,h.start --stop 3 -o ball.csv";

pub(super) const FIT_EXAMPLES: &str = "\
Examples:
  ferrica fit motor.mo --data measured.csv --find R=0.1:10 --find k=0.01:1
  ferrica fit motor.mo --data step.csv --data ramp.csv --find J=1e-6:1e-3 --picture fit.svg -o values.txt";

pub(super) const SPECTRUM_EXAMPLES: &str = "\
Examples:
  ferrica spectrum rectifier.csv -y i --fundamental 50
  ferrica spectrum beam.mat -y x --window hann --picture beam.svg -o beam.csv";

pub(super) const PLOT_EXAMPLES: &str = "\
Examples:
  ferrica plot rc.csv -y C.v,R.i                in the terminal
  ferrica plot before.csv after.csv -y C.v -o both.svg
  ferrica plot rc.csv -y 'C.*' -o rc.svg        also .png, and .html to zoom in
  ferrica plot rc.csv -y 'C.v,R.v;R.i'          two panels (else one for each unit)
  ferrica plot pendulum.mat -x x -y y           one variable over another
  ferrica plot rc.csv                           list the variables";

pub(super) const FMT_EXAMPLES: &str = "\
Examples:
  ferrica fmt rc.mo                    format a file in place
  ferrica fmt --check MyLibrary        list the files of a library that are not formatted
  ferrica fmt --stdin < rc.mo          for editors";

pub(super) const VARS_EXAMPLES: &str = "\
Examples:
  ferrica vars rc.mo                            all variables: kind, type, unit, value, description
  ferrica vars rc.mo 'C.*' --format json
  ferrica vars rc.csv '*.v'                     those of a result";

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  ferrica list                                  the libraries
  ferrica list Modelica.Electrical.Analog       what is in a package
  ferrica list 'Modelica.*Resistor'             by name
  ferrica list 'heat capacity' --lib MSL        by description";

pub(super) const DOC_EXAMPLES: &str = "\
Examples:
  ferrica doc Modelica.Electrical.Analog.Basic.Resistor
  ferrica doc Modelica.Mechanics.MultiBody.Parts.Body --lib MSL -o Body.html
  ferrica doc pump.mo";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  ferrica man ~/.local/share/man/man1           then: man ferrica-run";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  ferrica explain E0401";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  ferrica completions bash > ~/.local/share/bash-completion/completions/ferrica
  ferrica completions fish > ~/.config/fish/completions/ferrica.fish";

pub(super) const LSP_EXAMPLES: &str = "\
Examples:
  ferrica lsp                          an editor starts it so
  ferrica lsp --lib ~/libraries

It speaks the language server protocol over standard input and output; an editor starts it.
The book has the settings for Neovim and Helix.";

pub(super) const DIAGRAM_EXAMPLES: &str = "\
Examples:
  ferrica diagram rc.mo -o rc.svg               a textual model is laid out
  ferrica diagram Modelica.Blocks.Examples.PID_Controller --lib MSL -o pid.png
  ferrica diagram drive.mo --component motor -o inside.svg";

pub(super) const ICON_EXAMPLES: &str = "\
Examples:
  ferrica icon Modelica.Electrical.Analog.Basic.Resistor --lib MSL -o resistor.svg
  ferrica icon pump.mo -o pump.png --theme dark";

pub(super) const STUDIO_EXAMPLES: &str = "\
Examples:
  ferrica studio rc.mo                          prints the address of the page
  ferrica studio -m Modelica.Electrical.Analog.Examples.Rectifier --lib MSL --port 8080";
