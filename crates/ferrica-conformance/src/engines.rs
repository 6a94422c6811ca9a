//! The engines: how each is asked for, and what its method can promise.

/// What may be asked of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// Largest error of a value, as a part of max(1, |value|).
    pub tolerance: f64,
    /// Of first order, or events act at points of a grid: a case may say that it needs more.
    pub coarse: bool,
}

/// How a model gets through an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Run,
    /// `ferrica export c`, a C compiler, the demo.
    C,
    /// `ferrica devs`, a C++ compiler, a coordinator.
    PowerDevs,
}

#[derive(Clone, Copy, Debug)]
pub struct Engine {
    pub name: &'static str,
    /// The column of the book's table.
    pub family: &'static str,
    pub way: Way,
    pub args: &'static [&'static str],
    pub promise: Promise,
}

/// Located events and an error control of 1e-8.
const LOCATED: Promise = Promise {
    tolerance: 1e-5,
    coarse: false,
};
/// Located events and a formula of first order in steps of 1e-3, or a quantum of that size.
const LOW_ORDER: Promise = Promise {
    tolerance: 5e-3,
    coarse: true,
};
/// Events at points of a grid of 1e-3.
const GRID: Promise = Promise {
    tolerance: 5e-3,
    coarse: true,
};

/// Seen through an observer of 0.002 s.
const OBSERVED: Promise = Promise {
    tolerance: 2e-2,
    coarse: true,
};

const fn run(
    name: &'static str,
    family: &'static str,
    args: &'static [&'static str],
    promise: Promise,
) -> Engine {
    Engine {
        name,
        family,
        way: Way::Run,
        args,
        promise,
    }
}

macro_rules! variable {
    ($name:literal) => {
        run(
            $name,
            "variable steps",
            &["--solver", $name, "--tol", "1e-8"],
            LOCATED,
        )
    };
}

macro_rules! fixed {
    ($name:literal, $promise:expr) => {
        run(
            $name,
            "fixed steps",
            &["--solver", $name, "--step", "1e-3"],
            $promise,
        )
    };
}

macro_rules! real_time {
    ($name:literal) => {
        run(
            $name,
            "real time",
            &["--solver", $name, "--step", "1e-3"],
            GRID,
        )
    };
}

macro_rules! quantized {
    ($name:literal, $tolerance:literal, $promise:expr) => {
        run(
            $name,
            "quantized",
            &["--solver", $name, "--tol", $tolerance],
            $promise,
        )
    };
}

macro_rules! inlined {
    ($name:literal, $formula:literal) => {
        run(
            $name,
            "inlined",
            &["--inline", $formula, "--step", "1e-3"],
            GRID,
        )
    };
}

pub const ENGINES: &[Engine] = &[
    variable!("auto"),
    variable!("bdf"),
    variable!("radau"),
    variable!("dopri5"),
    fixed!("rk4", LOCATED),
    fixed!("euler", LOW_ORDER),
    real_time!("rt-bdf1"),
    real_time!("rt-bdf2"),
    real_time!("rt-bdf3"),
    real_time!("rt-tr"),
    real_time!("rt-trnp"),
    real_time!("rt-ode"),
    quantized!("qss1", "1e-3", LOW_ORDER),
    quantized!("qss2", "1e-5", LOW_ORDER),
    quantized!("qss3", "1e-6", LOW_ORDER),
    quantized!("liqss1", "1e-3", LOW_ORDER),
    quantized!("liqss2", "1e-5", LOW_ORDER),
    quantized!("liqss3", "1e-6", LOW_ORDER),
    quantized!("mliqss1", "1e-3", LOW_ORDER),
    quantized!("mliqss2", "1e-5", LOW_ORDER),
    quantized!("mliqss3", "1e-6", LOW_ORDER),
    quantized!("cqss", "1e-4", LOW_ORDER),
    run(
        "qbg",
        "bond graph",
        &["--solver", "qbg", "--tol", "1e-6"],
        LOW_ORDER,
    ),
    run(
        "tlm, 1 thread",
        "partitions",
        &["--partition", "tlm", "--step", "1e-3", "--threads", "1"],
        GRID,
    ),
    run(
        "tlm, 2 threads",
        "partitions",
        &["--partition", "tlm", "--step", "1e-3", "--threads", "2"],
        GRID,
    ),
    run(
        "tlm, bdf",
        "partitions",
        &[
            "--partition",
            "tlm",
            "--solver",
            "bdf",
            "--step",
            "1e-3",
            "--tol",
            "1e-8",
        ],
        GRID,
    ),
    inlined!("inline euler", "euler"),
    inlined!("inline implicit-euler", "implicit-euler"),
    inlined!("inline trapezoid", "trapezoid"),
    inlined!("inline bdf2", "bdf2"),
    Engine {
        name: "C rt-bdf2",
        family: "C",
        way: Way::C,
        args: &["--solver", "rt-bdf2", "--step", "1e-3"],
        promise: GRID,
    },
    Engine {
        name: "C rt-tr",
        family: "C",
        way: Way::C,
        args: &["--solver", "rt-tr", "--step", "1e-3"],
        promise: GRID,
    },
    Engine {
        name: "PowerDEVS",
        family: "PowerDEVS",
        way: Way::PowerDevs,
        args: &[],
        promise: OBSERVED,
    },
];
