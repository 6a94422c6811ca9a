//! `ferrica export fmu`: the model as an archive for other tools.

use std::path::{Path, PathBuf};

use ferrica_fmi::{FmuOptions, Icon, Version};

use crate::Outcome;
use crate::cli::{ExportArgs, FmuKind};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind};
use ferrica::results::write_file;
use ferrica::sources::class_picture::{self, Page};
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::{self, Loaded};
use ferrica::stages::stats::Stats;
use ferrica::words::counted;

/// The icon of the model, if it has one.
fn icon(loaded: &Loaded) -> Result<Option<Icon>, Failure> {
    let Ok(drawn) = class_picture::icon(loaded, Page::Light) else {
        return Ok(None);
    };
    Ok(Some(Icon {
        png: drawn.png()?,
        svg: drawn.svg(),
    }))
}

pub fn export(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    let version = args.fmu.version()?;
    outputs::fits(&args.output, Kind::Fmu)?;
    let options = args.solver.options();
    if !args.fmu.black_box && !args.vars.is_empty() {
        return Err(Failure::usage_with_hint(
            "--vars chooses what a black box shows: any other FMU shows all variables",
            "add --black-box",
        ));
    }
    if args.fmu.scalars && version == Version::Fmi2 {
        return Err(Failure::usage(
            "--scalars is for FMI 3: FMI 2 has no arrays",
        ));
    }
    if args.model.allow_external {
        return Err(Failure::usage(
            "--allow-external has no place in an FMU: whoever runs it has not agreed to that",
        ));
    }
    ferrica_fmi::supported(&options)?;
    let model = args.model.driven_by(&args.experiment);
    let mut stats = Stats::default();
    let loaded = pipeline::load(&model, reporter, &mut stats)?;
    pipeline::refuse_other_kinds(&loaded)?;
    let flat = pipeline::flatten(&loaded, &model.params, reporter, &mut stats)?;
    let grid = Grid::new(&args.experiment.options(), &flat.experiment)?;
    let wish = FmuOptions {
        version,
        exchange: args.fmu.kind != FmuKind::Cs,
        steps: args.fmu.kind != FmuKind::Me,
        black_box: args.fmu.black_box,
        scalars: args.fmu.scalars,
        shown: args.vars.clone(),
        icon: icon(&loaded)?,
    };
    let archive = ferrica_fmi::of_flat(&flat, model.folder(), &grid, &options, &wish)?;
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    write_file(&args.output, &inputs, &archive).map_err(|e| Failure::unwritten(&e))?;
    let kilobytes = archive.len().div_ceil(1000);
    reporter.note(&format!(
        "{}: {}, {kilobytes} kB → {}",
        loaded.name,
        counted(flat.vars.len(), "variable"),
        args.output.display()
    ));
    Ok(())
}
