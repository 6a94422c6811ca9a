//! `ferrica export fmu`: the library in the archive, loaded and led through its C interface, gives closed forms.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use ferrica_test_tools::needs;
use libloading::Library;

mod common;

type This = *mut c_void;

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

/// An unpacked FMU of FMI 3.0 with its library.
struct Fmu {
    folder: PathBuf,
    description: String,
    token: String,
    library: Library,
}

fn exported(name: &str, model: &str, args: &[&str]) -> Fmu {
    let folder = common::folder(&format!("fmu-{name}"));
    fs::write(folder.join("Model.mo"), model).unwrap();
    let done = ferrica(
        &folder,
        &[&["export", "fmu", "Model.mo", "-o", "m.fmu"], args].concat(),
    );
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name}: {text}");
    let archive = fs::File::open(folder.join("m.fmu")).unwrap();
    let unpacked = folder.join("unpacked");
    let _ = fs::remove_dir_all(&unpacked);
    zip::ZipArchive::new(archive)
        .unwrap()
        .extract(&unpacked)
        .unwrap();
    if args.contains(&"--source") {
        build(&unpacked);
    }
    let description = fs::read_to_string(unpacked.join("modelDescription.xml")).unwrap();
    let token = ["instantiationToken", "guid"];
    let token = token.iter().find_map(|t| value_of(&description, t));
    let token = token.unwrap_or_default();
    let mut binary = None;
    for platform in fs::read_dir(unpacked.join("binaries")).unwrap() {
        binary = fs::read_dir(platform.unwrap().path()).unwrap().next();
    }
    let binary = binary.unwrap().unwrap().path();
    // SAFETY: the library is our own, and its initialization does nothing.
    let library = unsafe { Library::new(binary) }.unwrap();
    Fmu {
        folder: unpacked,
        description,
        token,
        library,
    }
}

/// A library from the sources that the archive lists.
fn build(unpacked: &Path) {
    let sources = unpacked.join("sources");
    let lists = ["sources/buildDescription.xml", "modelDescription.xml"];
    let lists = lists.map(|l| fs::read_to_string(unpacked.join(l)).unwrap_or_default());
    let lists = lists.concat();
    let lines = (lists.lines()).filter(|l| l.contains("<SourceFile ") || l.contains("<File "));
    let files: Vec<String> = lines.filter_map(|l| value_of(l, "name")).collect();
    assert_eq!(files.len(), 2, "{lists}");
    fs::create_dir_all(unpacked.join("binaries/here")).unwrap();
    let flags = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-O1",
        "-shared",
        "-fPIC",
    ];
    let out = Command::new("cc")
        .args(flags)
        .args(["-ffp-contract=off", "-o", "../binaries/here/model.so"])
        .args(&files)
        .arg("-lm")
        .current_dir(&sources)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

fn value_of(text: &str, attribute: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!(" {attribute}=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// What an instance says, with its status and category.
type Messages = Mutex<Vec<(c_int, String, String)>>;

/// The environment is where messages go; null if nobody listens.
extern "C" fn listen(
    environment: *mut c_void,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    // SAFETY: the tests hand over null or messages that outlive the instance.
    let Some(messages) = (unsafe { environment.cast::<Messages>().as_ref() }) else {
        return;
    };
    // SAFETY: texts of the interface end with a zero.
    let text = |c: *const c_char| unsafe { CStr::from_ptr(c) }.to_str().unwrap().to_owned();
    let said = (status, text(category), text(message));
    messages.lock().unwrap().push(said);
}

impl Fmu {
    fn reference(&self, name: &str) -> u32 {
        let line = (self.description.lines())
            .find(|l| l.contains(&format!(" name=\"{name}\"")))
            .unwrap_or_else(|| panic!("no {name}"));
        value_of(line, "valueReference").unwrap().parse().unwrap()
    }

    fn call<F: Copy>(&self, name: &str) -> F {
        // SAFETY: every caller names a function with the signature of the header.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.unwrap()
    }

    fn instance(&self, exchange: bool, token: &str) -> This {
        let resources = CString::new(self.folder.join("resources").to_str().unwrap()).unwrap();
        self.instance_with(exchange, token, resources.as_ptr(), std::ptr::null())
    }

    /// With the place of the resources that it is told, and somebody who listens.
    fn instance_with(
        &self,
        exchange: bool,
        token: &str,
        resources: *const c_char,
        messages: *const Messages,
    ) -> This {
        let name = c"instance".as_ptr();
        let token = CString::new(token).unwrap();
        let token = token.as_ptr();
        let environment = messages.cast_mut().cast::<c_void>();
        let logging = u8::from(!messages.is_null());
        type Logger = extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
        if exchange {
            type Make = extern "C" fn(
                *const c_char,
                *const c_char,
                *const c_char,
                u8,
                u8,
                *mut c_void,
                Logger,
            ) -> This;
            return self.call::<Make>("fmi3InstantiateModelExchange")(
                name,
                token,
                resources,
                0,
                logging,
                environment,
                listen,
            );
        }
        type Make = extern "C" fn(
            *const c_char,
            *const c_char,
            *const c_char,
            u8,
            u8,
            u8,
            u8,
            *const u32,
            usize,
            *mut c_void,
            Logger,
            *const c_void,
        ) -> This;
        self.call::<Make>("fmi3InstantiateCoSimulation")(
            name,
            token,
            resources,
            0,
            logging,
            0,
            0,
            std::ptr::null(),
            0,
            environment,
            listen,
            std::ptr::null(),
        )
    }

    /// A new instance, initialized at zero.
    fn started(&self, exchange: bool) -> This {
        let this = self.instance(exchange, &self.token);
        assert!(!this.is_null());
        self.initialize(this);
        this
    }

    fn initialize(&self, this: This) {
        type Enter = extern "C" fn(This, u8, f64, f64, u8, f64) -> c_int;
        let enter = self.call::<Enter>("fmi3EnterInitializationMode");
        assert_eq!(enter(this, 0, 0.0, 0.0, 0, 0.0), 0);
        assert_eq!(self.plain("fmi3ExitInitializationMode", this), 0);
    }

    fn plain(&self, name: &str, this: This) -> c_int {
        self.call::<extern "C" fn(This) -> c_int>(name)(this)
    }

    fn free(&self, this: This) {
        self.call::<extern "C" fn(This)>("fmi3FreeInstance")(this);
    }

    fn get(&self, this: This, name: &str) -> f64 {
        type Get = extern "C" fn(This, *const u32, usize, *mut f64, usize) -> c_int;
        let (vr, mut out) = (self.reference(name), f64::NAN);
        let status = self.call::<Get>("fmi3GetFloat64")(this, &vr, 1, &mut out, 1);
        assert_eq!(status, 0, "{name}");
        out
    }

    fn set(&self, this: This, name: &str, value: f64) -> c_int {
        type Set = extern "C" fn(This, *const u32, usize, *const f64, usize) -> c_int;
        let vr = self.reference(name);
        self.call::<Set>("fmi3SetFloat64")(this, &vr, 1, &value, 1)
    }

    /// Numbers of a function that fills an array.
    fn numbers<const N: usize>(&self, name: &str, this: This) -> [f64; N] {
        let mut out = [f64::NAN; N];
        let read = self.call::<extern "C" fn(This, *mut f64, usize) -> c_int>(name);
        assert_eq!(read(this, out.as_mut_ptr(), N), 0, "{name}");
        out
    }

    fn place<const N: usize>(&self, this: This, t: f64, x: &[f64; N]) {
        let time = self.call::<extern "C" fn(This, f64) -> c_int>("fmi3SetTime");
        assert_eq!(time(this, t), 0);
        type Set = extern "C" fn(This, *const f64, usize) -> c_int;
        let set = self.call::<Set>("fmi3SetContinuousStates");
        assert_eq!(set(this, x.as_ptr(), N), 0);
    }

    /// The event at the present point; next event time, if there is one.
    fn event(&self, this: This) -> Option<f64> {
        assert_eq!(self.plain("fmi3EnterEventMode", this), 0);
        let next = self.update(this);
        assert_eq!(self.plain("fmi3EnterContinuousTimeMode", this), 0);
        next
    }

    fn update(&self, this: This) -> Option<f64> {
        type Update =
            extern "C" fn(This, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int;
        let (mut flags, mut next) = ([9u8; 5], 0.0);
        let [a, b, c, d, e] = &mut flags;
        let status =
            self.call::<Update>("fmi3UpdateDiscreteStates")(this, a, b, c, d, e, &mut next);
        assert_eq!(status, 0);
        (flags[4] != 0).then_some(next)
    }

    fn step(&self, this: This, t: f64, h: f64) -> c_int {
        type Step = extern "C" fn(This, f64, f64, u8, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int;
        let (mut flags, mut last) = ([0u8; 3], 0.0);
        let [a, b, c] = &mut flags;
        self.call::<Step>("fmi3DoStep")(this, t, h, 1, a, b, c, &mut last)
    }
}

const BALL: &str = "model Ball
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Ball;";

/// Exact between events: the rates of the ball are linear in time.
fn moved([h, v]: [f64; 2], dt: f64) -> [f64; 2] {
    [h + v * dt - 9.81 / 2.0 * dt * dt, v - 9.81 * dt]
}

/// h = 1 - g t²/2 is zero at √(2/g).
#[test]
fn the_indicator_of_a_ball_is_its_height() {
    let fmu = exported("ball", BALL, &["--type", "me"]);
    let this = fmu.started(true);
    assert_eq!(fmu.update(this), None);
    assert_eq!(fmu.plain("fmi3EnterContinuousTimeMode", this), 0);
    let indicator = |t: f64, x: [f64; 2]| {
        fmu.place(this, t, &x);
        let rates: [f64; 2] = fmu.numbers("fmi3GetContinuousStateDerivatives", this);
        assert_eq!(rates, [x[1], -9.81]);
        let [z]: [f64; 1] = fmu.numbers("fmi3GetEventIndicators", this);
        assert_eq!(z, x[0]);
        z
    };
    let start: [f64; 2] = fmu.numbers("fmi3GetContinuousStates", this);
    assert_eq!(start, [1.0, 0.0]);
    let (mut a, mut b) = (0.0, 1.0);
    while b - a > 1e-12 {
        let m = 0.5 * (a + b);
        if indicator(m, moved(start, m)) > 0.0 {
            a = m
        } else {
            b = m
        }
    }
    assert!((b - (2.0f64 / 9.81).sqrt()).abs() < 1e-6);
    indicator(b, moved(start, b));
    let before = moved(start, b)[1];
    fmu.event(this);
    let [_, v]: [f64; 2] = fmu.numbers("fmi3GetContinuousStates", this);
    assert!((v + 0.8 * before).abs() < 1e-12, "{v}");
    fmu.free(this);
}

/// e = 1/2 halves the speed at the bounce: 4 s after the start at rest in 1 m height the ball has come to rest, and at time t between the first two
/// bounces h = v₁ (t - t₁) - g (t - t₁)²/2.
#[test]
fn co_simulation_follows_the_closed_form_and_goes_back() {
    let fmu = exported("cs", BALL, &["--type", "cs", "--tol", "1e-9"]);
    let this = fmu.instance(false, &fmu.token);
    assert_eq!(fmu.set(this, "e", 0.5), 0);
    fmu.initialize(this);
    let h = 0.02;
    for k in 0..30 {
        assert_eq!(fmu.step(this, f64::from(k) * h, h), 0);
    }
    let t1 = (2.0f64 / 9.81).sqrt();
    let exact = |t: f64| moved([0.0, 0.5 * 9.81 * t1], t - t1)[0];
    assert!((fmu.get(this, "h") - exact(0.6)).abs() < 1e-7);
    // The state as bytes, in another instance.
    type Get = extern "C" fn(This, *mut This) -> c_int;
    type Size = extern "C" fn(This, This, *mut usize) -> c_int;
    type Write = extern "C" fn(This, This, *mut u8, usize) -> c_int;
    type Read = extern "C" fn(This, *const u8, usize, *mut This) -> c_int;
    type Set = extern "C" fn(This, This) -> c_int;
    let (mut state, mut size) = (std::ptr::null_mut(), 0);
    assert_eq!(fmu.call::<Get>("fmi3GetFMUState")(this, &mut state), 0);
    assert_eq!(
        fmu.call::<Size>("fmi3SerializedFMUStateSize")(this, state, &mut size),
        0
    );
    let mut bytes = vec![0; size];
    let write = fmu.call::<Write>("fmi3SerializeFMUState");
    assert_eq!(write(this, state, bytes.as_mut_ptr(), size), 0);
    let other = fmu.instance(false, &fmu.token);
    let mut copy = std::ptr::null_mut();
    let read = fmu.call::<Read>("fmi3DeserializeFMUState");
    assert_ne!(read(other, bytes[1..].as_ptr(), size - 1, &mut copy), 0);
    assert_eq!(read(other, bytes.as_ptr(), size, &mut copy), 0);
    assert_eq!(fmu.call::<Set>("fmi3SetFMUState")(other, copy), 0);
    for k in 30..60 {
        let t = f64::from(k) * h;
        assert_eq!((fmu.step(this, t, h), fmu.step(other, t, h)), (0, 0));
        for name in ["h", "v"] {
            let pair = (fmu.get(this, name), fmu.get(other, name));
            assert_eq!(pair.0.to_bits(), pair.1.to_bits(), "{name} at {t}");
        }
    }
    let free = fmu.call::<Get>("fmi3FreeFMUState");
    assert_eq!((free(this, &mut state), free(other, &mut copy)), (0, 0));
    fmu.free(this);
    fmu.free(other);
}

/// ẋ = -x³ + u², y = x u: the derivatives are -3x², 2u, u and x.
#[test]
fn derivatives_are_exact() {
    let model = "model M input Real u(start = 2); output Real y; Real x(start = 3, fixed = true);
        equation der(x) = -x^3 + u^2; y = x*u; end M;";
    let fmu = exported("derivatives", model, &[]);
    for exchange in [true, false] {
        let this = fmu.started(exchange);
        type Derivative = extern "C" fn(
            This,
            *const u32,
            usize,
            *const u32,
            usize,
            *const f64,
            usize,
            *mut f64,
            usize,
        ) -> c_int;
        let unknowns = [fmu.reference("der(x)"), fmu.reference("y")];
        let knowns = [fmu.reference("x"), fmu.reference("u")];
        let (a, mut out) = (unknowns.as_ptr(), [0.0; 2]);
        let (b, seed) = (knowns.as_ptr(), [1.0, 10.0]);
        let forward = fmu.call::<Derivative>("fmi3GetDirectionalDerivative");
        assert_eq!(
            forward(this, a, 2, b, 2, seed.as_ptr(), 2, out.as_mut_ptr(), 2),
            0
        );
        assert_eq!(out, [-27.0 + 40.0, 2.0 + 30.0]);
        let backward = fmu.call::<Derivative>("fmi3GetAdjointDerivative");
        assert_eq!(
            backward(this, a, 2, b, 2, seed.as_ptr(), 2, out.as_mut_ptr(), 2),
            0
        );
        assert_eq!(out, [-27.0 + 20.0, 4.0 + 30.0]);
        fmu.free(this);
    }
}

/// `sample(0.25, 0.5)` counts at 0.25, 0.75, …; the importer is told each instant.
#[test]
fn instants_are_told() {
    let model =
        "model M discrete Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true);
        equation der(x) = n; when sample(0.25, 0.5) then n = pre(n) + 1; end when; end M;";
    let fmu = exported("instants", model, &[]);
    let this = fmu.started(true);
    let mut next = fmu.update(this);
    assert_eq!(fmu.plain("fmi3EnterContinuousTimeMode", this), 0);
    for (k, at) in [0.25, 0.75, 1.25].into_iter().enumerate() {
        assert_eq!(next, Some(at));
        fmu.place(this, at, &[0.0]);
        next = fmu.event(this);
        let [rate]: [f64; 1] = fmu.numbers("fmi3GetContinuousStateDerivatives", this);
        assert_eq!(rate, k as f64 + 1.0);
    }
    fmu.free(this);
}

/// An importer that has unpacked the archive as it is need not say where: the library is beside its resources. e = 0.8 there, after one bounce.
#[cfg(unix)]
#[test]
fn the_place_of_the_resources_need_not_be_told() {
    let fmu = exported("untold", BALL, &["--tol", "1e-9"]);
    for resources in [std::ptr::null(), c"".as_ptr()] {
        for exchange in [true, false] {
            let this = fmu.instance_with(exchange, &fmu.token, resources, std::ptr::null());
            assert!(!this.is_null(), "{exchange}");
            fmu.initialize(this);
            if !exchange {
                assert_eq!(fmu.step(this, 0.0, 0.6), 0);
                let t1 = (2.0f64 / 9.81).sqrt();
                let exact = moved([0.0, 0.8 * 9.81 * t1], 0.6 - t1)[0];
                assert!((fmu.get(this, "h") - exact).abs() < 1e-7);
            }
            fmu.free(this);
        }
    }
    // The archive moved on without its resources: an error that is told, not a crash.
    fs::rename(fmu.folder.join("resources"), fmu.folder.join("elsewhere")).unwrap();
    let messages = Messages::default();
    let this = fmu.instance_with(true, &fmu.token, c"".as_ptr(), &raw const messages);
    assert!(this.is_null());
    assert!(messages.lock().unwrap().iter().any(|m| m.0 == 3));
}

/// A call in the wrong state is an error, with a message that names the call; the instance lives and goes on.
#[test]
fn calls_in_the_wrong_state_are_told() {
    let fmu = exported("states", BALL, &[]);
    let messages = Messages::default();
    let resources = CString::new(fmu.folder.join("resources").to_str().unwrap()).unwrap();
    let (place, listener) = (resources.as_ptr(), &raw const messages);
    // The message of each wrong call, and what it says.
    let wrong = |name: &str, status: c_int| {
        let said = std::mem::take(&mut *messages.lock().unwrap());
        assert_eq!(status, 3, "{name}");
        let told = said.iter().any(|(status, category, message)| {
            *status == 3 && category == "logStatusError" && message.starts_with(name)
        });
        assert!(told, "{name}: {said:?}");
    };
    let plain = |name: &str, this: This| wrong(name, fmu.plain(name, this));
    type Numbers = extern "C" fn(This, *mut f64, usize) -> c_int;
    let numbers = |name: &str, this: This| {
        let mut out = [0.0; 2];
        wrong(
            name,
            fmu.call::<Numbers>(name)(this, out.as_mut_ptr(), out.len()),
        );
    };
    let time = fmu.call::<extern "C" fn(This, f64) -> c_int>("fmi3SetTime");
    // Model Exchange, before its initialization.
    let this = fmu.instance_with(true, &fmu.token, place, listener);
    for name in [
        "fmi3ExitInitializationMode",
        "fmi3EnterEventMode",
        "fmi3EnterContinuousTimeMode",
        "fmi3EnterStepMode",
        "fmi3Terminate",
    ] {
        plain(name, this);
    }
    numbers("fmi3GetContinuousStateDerivatives", this);
    wrong("fmi3SetTime", time(this, 1.0));
    wrong("fmi3DoStep", fmu.step(this, 0.0, 1.0));
    fmu.initialize(this);
    type Enter = extern "C" fn(This, u8, f64, f64, u8, f64) -> c_int;
    let enter = fmu.call::<Enter>("fmi3EnterInitializationMode");
    wrong(
        "fmi3EnterInitializationMode",
        enter(this, 0, 0.0, 0.0, 0, 0.0),
    );
    plain("fmi3ExitInitializationMode", this);
    // In event mode, then between events.
    fmu.update(this);
    assert_eq!(fmu.plain("fmi3EnterContinuousTimeMode", this), 0);
    wrong("fmi3SetFloat64", fmu.set(this, "e", 0.5));
    wrong("fmi3DoStep", fmu.step(this, 0.0, 1.0));
    // What was wrong has changed nothing.
    let start: [f64; 2] = fmu.numbers("fmi3GetContinuousStates", this);
    assert_eq!(start, [1.0, 0.0]);
    assert_eq!(fmu.plain("fmi3Terminate", this), 0);
    plain("fmi3EnterEventMode", this);
    fmu.free(this);
    // Co-Simulation has no continuous-time mode, and no event mode that was not agreed.
    let this = fmu.instance_with(false, &fmu.token, place, listener);
    wrong("fmi3DoStep", fmu.step(this, 0.0, 0.1));
    fmu.initialize(this);
    for name in [
        "fmi3EnterEventMode",
        "fmi3EnterContinuousTimeMode",
        "fmi3EnterStepMode",
    ] {
        plain(name, this);
    }
    wrong("fmi3SetTime", time(this, 1.0));
    // From where the instance is not, and backwards.
    wrong("fmi3DoStep", fmu.step(this, 0.5, 0.1));
    wrong("fmi3DoStep", fmu.step(this, 0.0, -0.1));
    assert_eq!(fmu.step(this, 0.0, 0.1), 0);
    assert!((fmu.get(this, "h") - moved([1.0, 0.0], 0.1)[0]).abs() < 1e-6);
    fmu.free(this);
    // A null pointer instead of an instance has nobody to tell.
    assert_eq!(fmu.plain("fmi3Terminate", std::ptr::null_mut()), 3);
}

/// Damaged and foreign payloads, wrong tokens, calls at the wrong time: an error, and the process lives.
#[test]
fn what_does_not_fit_is_refused() {
    let fmu = exported("refused", BALL, &[]);
    assert!(fmu.instance(true, "{another}").is_null());
    let this = fmu.instance(true, &fmu.token);
    const ERROR: c_int = 3;
    assert_eq!(fmu.plain("fmi3EnterContinuousTimeMode", this), ERROR);
    assert_eq!(fmu.step(this, 0.0, 1.0), ERROR);
    assert_eq!(fmu.set(this, "der(h)", 1.0), ERROR);
    assert_eq!(fmu.set(this, "e", f64::NAN), ERROR);
    fmu.initialize(this);
    // A tunable parameter changes at events only.
    assert_eq!(fmu.set(this, "e", 0.5), 0);
    assert_eq!(fmu.plain("fmi3EnterContinuousTimeMode", this), 0);
    assert_eq!(fmu.set(this, "e", 0.6), ERROR);
    fmu.free(this);
    let payload = fmu.folder.join("resources/model.ferrica");
    let mut bytes = fs::read(&payload).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&payload, &bytes).unwrap();
    assert!(fmu.instance(true, &fmu.token).is_null());
    fs::write(&payload, b"something else").unwrap();
    assert!(fmu.instance(false, &fmu.token).is_null());
}

/// Machine code that was stored at the export gives the bits of the interpreter, and where it is damaged the interpreter takes its place.
#[test]
fn machine_code_comes_along() {
    let fmu = exported("code", BALL, &[]);
    let folder = fmu.folder.join("resources");
    let code = folder.join(format!(
        "code.{}-{}.ferrica",
        std::env::consts::ARCH,
        std::env::consts::OS
    ));
    let stored = fs::read(&code).unwrap();
    let path = CString::new(folder.to_str().unwrap()).unwrap();
    let run = |wanted: Option<&str>| {
        let messages = Messages::default();
        let this = fmu.instance_with(false, &fmu.token, path.as_ptr(), &raw const messages);
        assert!(!this.is_null());
        fmu.initialize(this);
        let heights: Vec<u64> = (0..200)
            .map(|k| {
                assert_eq!(fmu.step(this, 0.01 * f64::from(k), 0.01), 0);
                fmu.get(this, "h").to_bits()
            })
            .collect();
        fmu.free(this);
        let told = messages.into_inner().unwrap();
        match wanted {
            Some(words) => assert!(told.iter().any(|m| m.2 == words), "{told:?}"),
            None => assert!(told.iter().all(|m| m.0 == 0), "{told:?}"),
        }
        heights
    };
    let with = run(None);
    let mut damaged = stored.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&code, damaged).unwrap();
    assert_eq!(run(Some("the stored machine code is damaged")), with);
    fs::remove_file(&code).unwrap();
    assert_eq!(run(None), with);
}

/// Pages of this process in memory.
#[cfg(target_os = "linux")]
fn resident() -> f64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: f64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096.0
}

/// Instances that come and go take nothing with them: after the first rounds memory stays as it is. One kept page a round would be more
/// than is allowed.
#[cfg(target_os = "linux")]
#[test]
fn instances_leave_no_memory() {
    let fmu = exported("memory", BALL, &[]);
    let rounds = |count: usize| {
        for k in 0..count {
            let this = fmu.started(k % 2 == 0);
            fmu.free(this);
        }
        resident()
    };
    let before = rounds(100);
    let after = rounds(900);
    assert!(after - before < 900.0 * 4096.0, "{before} {after}");
}

/// Two instances of one library on two threads make the same steps as one alone, bit by bit.
#[test]
fn threads_do_not_disturb_each_other() {
    let fmu = exported("threads", BALL, &["--type", "cs"]);
    let run = || {
        let this = fmu.started(false);
        let heights: Vec<u64> = (0..60)
            .map(|k| {
                assert_eq!(fmu.step(this, f64::from(k) * 0.02, 0.02), 0);
                fmu.get(this, "h").to_bits()
            })
            .collect();
        fmu.free(this);
        heights
    };
    let alone = run();
    std::thread::scope(|scope| {
        let both = [scope.spawn(run), scope.spawn(run)];
        for thread in both {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

/// Data travel with the model: the file may go. Straight lines through (0, 0) and (2, 6).
#[test]
fn a_table_travels() {
    let folder = common::folder("fmu-table");
    fs::write(folder.join("data.txt"), "#1\ndouble tab(2, 2)\n0 0\n2 6\n").unwrap();
    let model = "model Model Modelica.Blocks.Sources.CombiTimeTable t(tableOnFile = true, tableName = \"tab\", fileName = \"data.txt\");
        output Real y = t.y[1]; end Model;";
    let fmu = exported("table", model, &[]);
    fs::remove_file(folder.join("data.txt")).unwrap();
    let this = fmu.started(false);
    assert_eq!(fmu.step(this, 0.0, 0.5), 0);
    assert!((fmu.get(this, "y") - 1.5).abs() < 1e-12);
    fmu.free(this);
}

/// All files in a folder, by their paths in it.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut rest, mut out) = (vec![folder.to_owned()], Vec::new());
    while let Some(path) = rest.pop() {
        if path.is_dir() {
            rest.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        out.push((name, fs::read(&path).unwrap()));
    }
    out
}

/// Texts in quotes after an attribute.
fn values<'a>(description: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let parts = description.split(start.as_str());
    parts.skip(1).filter_map(|p| p.split('"').next()).collect()
}

/// Names of C functions of the run time, which a payload asks for, are no names of the model: `ModelicaStrings_length`.
fn without_functions(bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut k) = (bytes.to_vec(), 0);
    while k < out.len() {
        let rest = &out[k..];
        let is_function =
            rest.starts_with(b"Modelica") && rest.get(8).is_some_and(u8::is_ascii_uppercase);
        let part = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        let length = if is_function {
            rest.iter().take_while(part).count()
        } else {
            0
        };
        out[k..k + length].fill(b' ');
        k += length.max(1);
    }
    out
}

/// Of each kind of thing that has a name: packages, models, records, functions, enumerations, blocks of the library, files, units, descriptions.
const CLOSED: &str = "package HiddenWorks
  model ClosedPlant \"What the plant does\"
    input Real throttle; output Real speed; parameter Real gain = 2;
    SecretPart secretPart(secretGain = gain, secretDrive = throttle);
    SecretLag secretLag[3](each secretTau = 0.25);
    Modelica.Blocks.Sources.CombiTimeTable secretTable(tableOnFile = true, tableName = \"tab\", fileName = \"SecretData.txt\");
    Modelica.Blocks.Continuous.FirstOrder secretFilter(T = 0.125, y_start = 0.5);
    SecretMode secretMode;
    discrete Integer secretCount(start = 0, fixed = true);
  protected
    parameter Real secretLimit = 17;
    Real secretSquare = secretShape(secretFilter.y, SecretRecord(secretEntry = 3));
  equation
    speed = secretPart.secretState;
    secretFilter.u = secretTable.y[1];
    for secretIndex in 1:3 loop secretLag[secretIndex].secretIn = time*secretIndex; end for;
    secretMode = if time > 0.25 then SecretMode.SecretFast else SecretMode.SecretSlow;
    when secretPart.secretState > 0.5 then secretCount = pre(secretCount) + 1; end when;
  end ClosedPlant;
  type SecretMode = enumeration(SecretSlow \"SecretWords\", SecretFast);
  record SecretRecord Real secretEntry; end SecretRecord;
  function secretShape input Real secretArgument; input SecretRecord secretValues; output Real secretAnswer;
    protected Real secretLocal;
  algorithm
    secretLocal := secretArgument;
    for secretRound in 1:3 loop secretLocal := secretLocal + sin(secretLocal)*secretValues.secretEntry; end for;
    secretAnswer := secretLocal;
  end secretShape;
  model SecretPart \"SecretWords\"
    Real secretState(start = 0, fixed = true, unit = \"Oe\", displayUnit = \"kOe\", quantity = \"SecretQuantity\", min = -1) \"SecretWords\";
    parameter Real secretGain; parameter Real secretOther = 5 \"SecretWords\"; input Real secretDrive;
  equation
    der(secretState) = secretGain*(secretDrive - secretState);
  end SecretPart;
  model SecretLag parameter Real secretTau = 1; Real secretIn; Real secretOut(start = 0, fixed = true);
  equation secretTau*der(secretOut) = secretIn - secretOut; end SecretLag;
end HiddenWorks;";

/// Nothing of the inside is in any file of the archive, or in a name of one. What to look for is taken from the archive of the same model that is open: every name of a variable that the
/// closed one does not show, and every part of it; and from the text: all its names that begin with a secret. The run-time library is left out, as it knows no model: it has the bytes of any other.
#[test]
fn a_black_box_is_closed() {
    let folder = common::folder("fmu-closed");
    fs::write(
        folder.join("SecretData.txt"),
        "#1\ndouble tab(2, 2)\n0 0\n2 6\n",
    )
    .unwrap();
    let library = |fmu: &Fmu| {
        let all = files(&fmu.folder).into_iter();
        let (binaries, others): (Vec<_>, Vec<_>) =
            all.partition(|(name, _)| name.starts_with("binaries"));
        assert_eq!(binaries.len(), 1);
        (binaries.into_iter().next().unwrap().1, others)
    };
    let ball = exported("any", BALL, &[]);
    let (any, _) = library(&ball);
    fs::write(
        common::folder("fmu-open").join("SecretData.txt"),
        "#1\ndouble tab(2, 2)\n0 0\n2 6\n",
    )
    .unwrap();
    let which = ["-m", "HiddenWorks.ClosedPlant", "--tol", "1e-8"];
    let open = exported("open", CLOSED, &which);
    for version in ["3", "2"] {
        let fmu = exported(
            "closed",
            CLOSED,
            &[&which[..], &["--black-box", "--fmi", version]].concat(),
        );
        let seen = values(&fmu.description, "name");
        for name in ["throttle", "speed", "gain", "state[1]"] {
            assert!(seen.contains(&name), "{name}");
        }
        let is_inner = |name: &&str| !seen.contains(name);
        let inner = values(&open.description, "name").into_iter();
        let mut words: Vec<String> = inner.filter(is_inner).map(str::to_owned).collect();
        assert!(words.iter().any(|w| w == "secretLag[2].secretOut"));
        // Parts of names, unless they are so short that numbers may look like them.
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let parts = words
            .iter()
            .flat_map(|w| w.split(|c| !letter(c)))
            .chain(
                CLOSED
                    .split(|c| !letter(c))
                    .filter(|w| w.to_lowercase().contains("secret")),
            )
            .filter(|w| w.len() > 4 && !seen.contains(w))
            // The model's own name with its package is told.
            .filter(|w| !which[1].contains(w))
            // Words of the format are in the description of any model: `startTime`.
            .filter(|w| !ball.description.contains(w))
            .map(str::to_owned)
            .collect::<Vec<_>>();
        words.extend(parts);
        let place = fmu.folder.parent().unwrap().display().to_string();
        words.extend(["Model.mo", "Oe", "Modelica.", "Modelica/", "FirstOrder"].map(str::to_owned));
        words.extend([place, "fmu-closed".to_owned()]);
        words.sort();
        words.dedup();
        assert!(words.len() > 60, "{words:?}");
        let (bytes, others) = library(&fmu);
        assert!(bytes == any);
        assert!(others.len() >= 3);
        for (name, bytes) in others.iter().filter(|(name, _)| !name.ends_with(".png")) {
            let mut bytes = without_functions(bytes);
            // A message of an assertion is a text of the model, which the book says is kept.
            let message = b"tableOnFile = true needs a tableName";
            if let Some(at) = bytes.windows(message.len()).position(|w| w == message) {
                bytes[at..at + message.len()].fill(b' ');
            }
            for word in &words {
                let found = bytes.windows(word.len()).any(|w| w == word.as_bytes());
                // Two letters are in any payload by chance.
                let chance = word.len() < 4 && name.ends_with(".ferrica");
                assert!(!found || chance, "{word} in {name}");
                assert!(!name.contains(word.as_str()), "{name}");
            }
        }
        if version == "2" {
            continue;
        }
        let this = fmu.started(false);
        fmu.set(this, "throttle", 1.0);
        assert_eq!(fmu.step(this, 0.0, 0.5), 0);
        // ẋ = 2 (1 - x)
        assert!((fmu.get(this, "speed") - (1.0 - (-1.0f64).exp())).abs() < 1e-6);
        fmu.free(this);
    }
}

/// No file is left of an export that fails, and the exit code says whose fault it is.
#[test]
fn bad_wishes_leave_nothing() {
    let folder = common::folder("fmu-bad");
    let c = "model M function f input Real x; output Real y; external \"C\" y = mine(x); end f; Real y = f(time); end M;";
    fs::write(folder.join("c.mo"), c).unwrap();
    fs::write(folder.join("ball.mo"), BALL).unwrap();
    let tried = |args: &[&str]| {
        let done = ferrica(&folder, &[&["export", "fmu"], args].concat());
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        (done.status.code(), text)
    };
    let (code, text) = tried(&["c.mo", "-o", "c.fmu"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("E0741"), "{text}");
    assert!(!folder.join("c.fmu").exists());
    let (code, text) = tried(&["ball.mo", "--fmi", "4", "-o", "b.fmu"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("error[E"), "{text}");
    assert!(text.contains("--fmi"), "{text}");
    assert!(!folder.join("b.fmu").exists());
    let (code, text) = tried(&["ball.mo", "-o", "nowhere/b.fmu"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("error[E0701]"), "{text}");
    assert!(!folder.join("nowhere").exists());
    assert_eq!(
        tried(&["ball.mo", "--solver", "qbg", "-o", "b.fmu"]).0,
        Some(2)
    );
    assert!(!folder.join("b.fmu").exists());
    // What would be without effect
    let nothing = ["ball.mo", "--black-box", "--vars", "height*", "-o", "b.fmu"];
    let (code, text) = tried(&nothing);
    assert!(code == Some(2) && text.contains("E0731"), "{text}");
    let (code, text) = tried(&["ball.mo", "--step", "1e-3", "-o", "b.fmu"]);
    assert!(code == Some(2) && text.contains("auto"), "{text}");
    assert!(!folder.join("b.fmu").exists());
}

const HEATED: &str = "model Heated
  input Real u(start = 1); output Real y; output Boolean hot; output Integer n(start = 0, fixed = true);
  parameter Real k = 3; parameter Real x0 = 0;
  Real x(start = x0, fixed = true); Real w(start = u, fixed = true);
  Modelica.Blocks.Sources.CombiTimeTable load(table = [0, 1; 1, 3; 2, 1], extrapolation = Modelica.Blocks.Types.Extrapolation.Periodic);
equation
  der(x) = u - x;
  der(w) = load.y[1] - w^3;
  y = k + sin(x);
  hot = x > 0.5;
  when hot then n = pre(n) + 1; end when;
end Heated;";

/// Source code of an FMU, compiled: every communication point has the bits of `ferrica run`, x = 1 - exp(-t), the state goes back, and what the code
/// cannot do is refused: another start where states are part of it, points off the grid, another model.
#[needs("cc")]
#[test]
fn source_fmus_are_the_run() {
    let solver = ["--solver", "rt-tr", "--step", "1e-3", "--stop", "3"];
    let fmu = exported(
        "source",
        HEATED,
        &[&["--source", "--vars", "*"], &solver[..]].concat(),
    );
    assert!(fmu.instance(false, "{no token}").is_null());
    assert!(fmu.instance(true, &fmu.token).is_null());
    let folder = fmu.folder.parent().unwrap();
    let rows = ["run", "Model.mo", "-o", "-", "--interval", "0.1", "-q"];
    let run = ferrica(folder, &[&rows[..], &solver].concat());
    let run = String::from_utf8(run.stdout).unwrap();
    let mut lines = run.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let at = |name: &str| {
        names
            .iter()
            .position(|n| n.trim_matches('"') == name)
            .unwrap()
    };
    let rows: Vec<Vec<&str>> = lines.collect();
    let this = fmu.started(false);
    for k in 0..30 {
        let t = f64::from(k) * 0.1;
        assert_eq!(fmu.step(this, t, 0.1), 0);
        let t = t + 0.1;
        // Of two rows at an event the later.
        let is_now = |r: &&Vec<&str>| (r[0].parse::<f64>().unwrap() - t).abs() < 1e-9;
        let row = rows.iter().rev().find(is_now).unwrap();
        for name in ["x", "w", "y", "load.y[1]"] {
            let expected: f64 = row[at(name)].parse().unwrap();
            assert_eq!(fmu.get(this, name), expected, "{name} at {t}");
        }
        let exact = 1.0 - (-t).exp();
        assert!((fmu.get(this, "x") - exact).abs() < 1e-7, "{t}");
        type Get = extern "C" fn(This, *const u32, usize, *mut i32, usize) -> c_int;
        let (vr, mut n) = (fmu.reference("n"), 0);
        let get = fmu.call::<Get>("fmi3GetInt32");
        assert_eq!(
            (get(this, &vr, 1, &mut n, 1), n),
            (0, i32::from(exact > 0.5))
        );
    }
    // Off the grid, and from where the instance is not.
    assert_eq!(fmu.step(this, 3.0, 1.5e-3), 3);
    assert_eq!(fmu.step(this, 2.0, 0.1), 3);
    // A parameter that can be set while running: y = k + sin x.
    let x = fmu.get(this, "x");
    assert_eq!(fmu.set(this, "k", 5.0), 0);
    assert_eq!(fmu.set(this, "u", x), 0);
    type Store = extern "C" fn(This, *mut This) -> c_int;
    let mut state = std::ptr::null_mut();
    assert_eq!(fmu.call::<Store>("fmi3GetFMUState")(this, &mut state), 0);
    let ahead = |this: This| {
        assert_eq!(fmu.step(this, 3.0, 0.5), 0);
        ["x", "w", "y"].map(|name| fmu.get(this, name))
    };
    let first = ahead(this);
    assert!((first[2] - 5.0 - x.sin()).abs() < 1e-5, "{first:?} {x}");
    let back = fmu.call::<extern "C" fn(This, This) -> c_int>("fmi3SetFMUState");
    assert_eq!(back(this, state), 0);
    assert_eq!(ahead(this), first);
    assert_eq!(fmu.call::<Store>("fmi3FreeFMUState")(this, &mut state), 0);
    fmu.free(this);
    // w begins where u is: that is part of the code. k and the outputs that depend on it are not.
    let this = fmu.instance(false, &fmu.token);
    assert_eq!(fmu.set(this, "u", 1.0), 0);
    assert_eq!(fmu.set(this, "u", 2.0), 3);
    assert_eq!(fmu.set(this, "x", 2.0), 3);
    assert_eq!(fmu.set(this, "k", 7.0), 0);
    assert_eq!(fmu.step(this, 0.0, 0.1), 3);
    fmu.initialize(this);
    assert_eq!(fmu.get(this, "y"), 7.0);
    assert_eq!(fmu.step(this, 0.0, 1.0), 0);
    let y = 7.0 + fmu.get(this, "x").sin();
    assert!((fmu.get(this, "y") - y).abs() < 1e-12);
    fmu.free(this);
}

/// The same in FMI 2.0: x = 1 - exp(-t) at t = 1.
#[needs("cc")]
#[test]
fn source_fmus_of_version_2() {
    let solver = [
        "--source", "--fmi", "2", "--solver", "rt-bdf2", "--step", "1e-3",
    ];
    let fmu = exported("source2", HEATED, &solver);
    #[repr(C)]
    struct Callbacks([*const c_void; 5]);
    let callbacks = Callbacks([std::ptr::null(); 5]);
    type Make = extern "C" fn(
        *const c_char,
        c_int,
        *const c_char,
        *const c_char,
        &Callbacks,
        c_int,
        c_int,
    ) -> This;
    let (name, token) = (c"m".as_ptr(), CString::new(fmu.token.clone()).unwrap());
    let make = fmu.call::<Make>("fmi2Instantiate");
    assert!(make(name, 0, token.as_ptr(), name, &callbacks, 0, 0).is_null());
    let this = make(name, 1, token.as_ptr(), name, &callbacks, 0, 0);
    assert!(!this.is_null());
    type Setup = extern "C" fn(This, c_int, f64, f64, c_int, f64) -> c_int;
    let setup = fmu.call::<Setup>("fmi2SetupExperiment");
    assert_eq!(setup(this, 0, 0.0, 1.0, 0, 0.0), 3);
    assert_eq!(setup(this, 0, 0.0, 0.0, 0, 0.0), 0);
    assert_eq!(fmu.plain("fmi2EnterInitializationMode", this), 0);
    assert_eq!(fmu.plain("fmi2ExitInitializationMode", this), 0);
    let step = fmu.call::<extern "C" fn(This, f64, f64, c_int) -> c_int>("fmi2DoStep");
    assert_eq!((step(this, 0.0, 0.4, 1), step(this, 0.4, 0.6, 1)), (0, 0));
    type Get = extern "C" fn(This, *const u32, usize, *mut f64) -> c_int;
    let (vr, mut x) = (fmu.reference("x"), f64::NAN);
    assert_eq!(fmu.call::<Get>("fmi2GetReal")(this, &vr, 1, &mut x), 0);
    assert!((x - (1.0 - (-1.0f64).exp())).abs() < 1e-6, "{x}");
    assert_eq!(fmu.plain("fmi2Terminate", this), 0);
    fmu.call::<extern "C" fn(This)>("fmi2FreeInstance")(this);
}
