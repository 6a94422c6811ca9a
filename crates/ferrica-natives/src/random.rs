//! Random numbers: xorshift64*, xorshift128+ and xorshift1024* (Vigna, ACM Trans. Math. Softw. 42
//! (2016) 30).
//!
//! A state is a vector of 32-bit integers, two of them a word, the lower half first. A word w, taken
//! as a signed integer, becomes the number w·2⁻⁶⁴ + 0.5 in (0, 1).

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::call::Call;
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    // stateIn, stateOut, result
    r.pure("ModelicaRandom_xorshift64star", |call| {
        generate::<2>(call, |w| xorshift64star(&mut w[0]))
    });
    r.pure("ModelicaRandom_xorshift128plus", |call| {
        generate::<4>(call, xorshift128plus)
    });
    r.pure("ModelicaRandom_xorshift1024star", |call| {
        let state: Vec<f64> = call.array(0)?.to_vec();
        let mut generator = Xorshift1024::from_numbers(&state)?;
        let y = generator.next();
        call.fill(1, &generator.to_numbers())?;
        call.set(2, y)
    });
    r.impure("ModelicaRandom_setInternalState_xorshift1024star", |call| {
        // state, size, id
        let generator = Xorshift1024::from_numbers(call.array(0)?)?;
        let id = call.int(2)?;
        *internal()? = Some((id, generator));
        Ok(())
    });
    r.impure("ModelicaRandom_impureRandom_xorshift1024star", |call| {
        let id = call.int(0)?;
        let y = match internal()?.as_mut() {
            Some((of, generator)) if *of == id => generator.next(),
            _ => return Err("the generator was not initialized before it is used".to_string()),
        };
        call.return_real(y);
        Ok(())
    });
    r.impure("ModelicaRandom_automaticGlobalSeed", |call| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let day_ms = now.as_millis() % 86_400_000;
        let seed = (1 + day_ms as i64 + 6007 * i64::from(std::process::id())) & 0x7fff_ffff;
        call.return_real(seed.max(1) as f64);
        Ok(())
    });
    r.pure("ModelicaRandom_convertRealToIntegers", |call| {
        let bits = call.real(0)?.to_bits();
        call.fill(1, &halves(bits))
    });
}

type Internal = Option<(i64, Xorshift1024)>;

/// The generator that the library keeps outside of the model.
fn internal() -> Result<std::sync::MutexGuard<'static, Internal>, String> {
    static STATE: Mutex<Internal> = Mutex::new(None);
    STATE
        .lock()
        .map_err(|_| "the random generator is broken by an earlier failure".to_string())
}

fn halves(word: u64) -> [f64; 2] {
    [f64::from(word as i32), f64::from((word >> 32) as i32)]
}

fn word(halves: &[f64]) -> u64 {
    let half = |x: f64| u64::from(x as i64 as u32);
    half(halves[0]) | half(halves[1]) << 32
}

fn unit(word: u64) -> f64 {
    word as i64 as f64 * 2f64.powi(-64) + 0.5
}

fn generate<const N: usize>(
    call: &mut dyn Call,
    step: impl Fn(&mut [u64]) -> u64,
) -> Result<(), String> {
    let state = call.array(0)?;
    if state.len() != N {
        return Err(format!(
            "the state has {} elements, {N} are needed",
            state.len()
        ));
    }
    let mut words: Vec<u64> = state.chunks_exact(2).map(word).collect();
    let y = unit(step(&mut words));
    let numbers: Vec<f64> = words.iter().flat_map(|&w| halves(w)).collect();
    call.fill(1, &numbers)?;
    call.set(2, y)
}

fn xorshift64star(x: &mut u64) -> u64 {
    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    *x = x.wrapping_mul(2_685_821_657_736_338_717);
    *x
}

fn xorshift128plus(s: &mut [u64]) -> u64 {
    let (mut a, b) = (s[0], s[1]);
    s[0] = b;
    a ^= a << 23;
    s[1] = (a ^ b ^ (a >> 17) ^ (b >> 26)).wrapping_add(b);
    s[1]
}

#[derive(Clone, Debug)]
struct Xorshift1024 {
    s: [u64; 16],
    p: usize,
}

impl Xorshift1024 {
    fn from_numbers(numbers: &[f64]) -> Result<Xorshift1024, String> {
        if numbers.len() != 33 {
            return Err(format!(
                "the state has {} elements, 33 are needed",
                numbers.len()
            ));
        }
        let mut s = [0; 16];
        for (w, pair) in s.iter_mut().zip(numbers.chunks_exact(2)) {
            *w = word(pair);
        }
        Ok(Xorshift1024 {
            s,
            p: numbers[32] as i64 as usize & 15,
        })
    }

    fn to_numbers(&self) -> Vec<f64> {
        let mut numbers: Vec<f64> = self.s.iter().flat_map(|&w| halves(w)).collect();
        numbers.push(self.p as f64);
        numbers
    }

    fn next(&mut self) -> f64 {
        let mut a = self.s[self.p];
        self.p = (self.p + 1) & 15;
        let mut b = self.s[self.p];
        b ^= b << 31;
        b ^= b >> 11;
        a ^= a >> 30;
        self.s[self.p] = a ^ b;
        unit(self.s[self.p].wrapping_mul(1_181_783_497_276_652_981))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, Value, lookup};

    /// The recurrences computed with Python's integers modulo 2^64.
    #[test]
    fn first_numbers() {
        let run = |name: &str, state: Vec<f64>| {
            let n = state.len();
            let mut call = Arguments::new(vec![
                Value::vector(state),
                Value::vector(vec![0.0; n]),
                Value::Real(0.0),
            ]);
            lookup(name).unwrap().call(&mut call).unwrap();
            (call.array(1).unwrap().to_vec(), call.real(2).unwrap())
        };
        let (state, y) = run("ModelicaRandom_xorshift64star", vec![126247697.0, -5.0]);
        assert_eq!(
            (state, y),
            (vec![1758695425.0, -430355532.0], 0.3998000445797756)
        );
        let (state, y) = run("ModelicaRandom_xorshift128plus", vec![1.0, 2.0, 3.0, -4.0]);
        assert_eq!(
            (state, y),
            (
                vec![3.0, -4.0, -8454331.0, -16777411.0],
                0.49609370483039683
            )
        );
        let mut start: Vec<f64> = (1..=32).map(f64::from).collect();
        start.push(15.0);
        let (state, y) = run("ModelicaRandom_xorshift1024star", start);
        assert_eq!(
            (state[0], state[1], state[32], y),
            (-2142240610.0, 34.0, 0.0, 0.0942259691640806)
        );
    }

    #[test]
    fn the_internal_generator_needs_its_id() {
        let impure = lookup("ModelicaRandom_impureRandom_xorshift1024star").unwrap();
        assert!(!impure.pure);
        let mut call = Arguments::new(vec![Value::Real(-77.0)]);
        assert!(impure.call(&mut call).is_err());
    }
}
