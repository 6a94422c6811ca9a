//! What functions gave for arguments that they were called with before.
//!
//! A model asks for a property of the same state again and again: density, temperature and derivatives of water each find its region and its
//! fundamental equation. A function that has nothing but results ([`remembered`]) gives the same bits for the same bits, so a call with
//! arguments that are still known is answered from here. Each function has a table in which the hash of the arguments says the only place; it
//! grows as long as calls put each other out, and is given up where calls do not come again.

use crate::function::{Code, FunctionCode, Inst};
use crate::kernel::{Bin, Callee, Un};

/// What an instruction costs that calls the mathematical library, in plain ones.
const LIBRARY: u64 = 20;
/// Looking a call up and keeping it cost less than so many plain instructions.
const WORTH_REMEMBERING: u64 = 300;
/// Entries of a table at first, and at most.
const FEWEST: usize = 16;
const MOST: usize = 4096;
/// After so many questions, one in so many must have had an answer.
const TRIAL: u64 = 8192;
const WORTH_ASKING: u64 = 16;

/// Tables by function; see the module comment.
#[derive(Clone, Default)]
pub struct Memo {
    tables: Vec<Table>,
}

#[derive(Clone, Default)]
struct Table {
    /// Arguments, then results, entry by entry.
    numbers: Vec<f64>,
    /// Hashes of the arguments, 0 where there is nothing.
    marks: Vec<u64>,
    asked: u64,
    answered: u64,
    /// Entries that were put out since the table has had its size.
    lost: usize,
}

impl Memo {
    /// Puts the results of a call into `y`, if they are known.
    pub fn recall(&mut self, f: u32, x: &[f64], y: &mut [f64]) -> bool {
        let f = f as usize;
        if self.tables.len() <= f {
            self.tables.resize(f + 1, Table::default());
        }
        let table = &mut self.tables[f];
        if table.is_given_up() {
            return false;
        }
        table.asked += 1;
        if table.marks.is_empty() {
            return false;
        }
        let mark = mark(x);
        let at = mark as usize & (table.marks.len() - 1);
        let width = x.len() + y.len();
        let entry = &table.numbers[at * width..][..width];
        let (args, results) = entry.split_at(x.len());
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        if table.marks[at] != mark || !args.iter().zip(x).all(same) {
            return false;
        }
        y.copy_from_slice(results);
        table.answered += 1;
        true
    }

    /// Keeps the results of a call that [`Memo::recall`] has just been asked for.
    pub fn keep(&mut self, f: u32, x: &[f64], y: &[f64]) {
        let Some(table) = self.tables.get_mut(f as usize) else {
            return;
        };
        let tried = table.asked >= TRIAL;
        if tried && table.answered < table.asked / WORTH_ASKING {
            *table = Table {
                asked: u64::MAX,
                ..Table::default()
            };
        }
        if table.is_given_up() {
            return;
        }
        let width = x.len() + y.len();
        let size = table.marks.len();
        if size == 0 || table.lost > size / 2 && size < MOST {
            table.resize((2 * size).max(FEWEST), width);
        }
        let mark = mark(x);
        let at = mark as usize & (table.marks.len() - 1);
        table.lost += usize::from(table.marks[at] != 0);
        table.marks[at] = mark;
        let entry = &mut table.numbers[at * width..][..width];
        entry[..x.len()].copy_from_slice(x);
        entry[x.len()..].copy_from_slice(y);
    }
}

impl Table {
    fn is_given_up(&self) -> bool {
        self.asked == u64::MAX
    }

    fn resize(&mut self, size: usize, width: usize) {
        let old = std::mem::replace(&mut self.marks, vec![0; size]);
        let numbers = std::mem::replace(&mut self.numbers, vec![0.0; size * width]);
        for (k, mark) in old.into_iter().enumerate().filter(|(_, mark)| *mark != 0) {
            let at = mark as usize & (size - 1);
            self.marks[at] = mark;
            self.numbers[at * width..][..width].copy_from_slice(&numbers[k * width..][..width]);
        }
        self.lost = 0;
    }
}

/// A hash of the arguments, not 0.
fn mark(x: &[f64]) -> u64 {
    let mix =
        |h: u64, x: &f64| (h.rotate_left(29) ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let h = x.iter().fold(0x5851_F42D_4C95_7F2D, mix);
    (h ^ h >> 32) | 1 << 63
}

/// Which functions are worth remembering. `may` says which have numbers only in and out, and are pure; here it is looked at what they do.
pub fn remembered(codes: &[FunctionCode], may: &[bool]) -> Vec<bool> {
    let mut known: Vec<Option<Option<u64>>> = vec![None; codes.len()];
    (0..codes.len())
        .map(|f| may[f] && cost(codes, f, &mut known).is_some_and(|c| c >= WORTH_REMEMBERING))
        .collect()
}

/// Plain instructions of a call, each branch taken and each loop gone through once; none if it does more than give results, or calls itself.
fn cost(codes: &[FunctionCode], f: usize, known: &mut [Option<Option<u64>>]) -> Option<u64> {
    if let Some(known) = known[f] {
        return known;
    }
    // On the way it counts as something that calls itself.
    known[f] = Some(None);
    let Code::Insts(insts) = &codes[f].code else {
        return None;
    };
    let mut sum = 0u64;
    for inst in insts {
        sum += match inst {
            Inst::Unary(Un::Math(_), ..) | Inst::Binary(Bin::Pow | Bin::Math(_), ..) => LIBRARY,
            Inst::Call(Callee::Function(g), ..) => LIBRARY + cost(codes, *g as usize, known)?,
            Inst::Call(Callee::Text(_), ..) => LIBRARY,
            Inst::Call(..) | Inst::Fail(_, false) => return None,
            _ => 1,
        };
    }
    known[f] = Some(Some(sum));
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_bit_by_bit() {
        let mut memo = Memo::default();
        let mut y = [0.0];
        let calls = 3000;
        for round in 0..3 {
            let mut hits = 0;
            for k in 0..calls {
                let x = [f64::from(k), -0.5];
                match memo.recall(7, &x, &mut y) {
                    true => hits += 1,
                    false => memo.keep(7, &x, &[f64::from(k) * 2.0]),
                }
                if round > 0 && memo.recall(7, &x, &mut y) {
                    assert_eq!(y[0], f64::from(k) * 2.0);
                }
            }
            // Then the table has grown, and most have a place of their own.
            assert!(round < 2 || hits > calls / 3, "{hits}");
        }
        assert!(!memo.recall(7, &[-0.0, -0.5], &mut y));
        assert!(memo.tables[7].marks.len() <= MOST);
    }

    #[test]
    fn calls_that_do_not_come_again_are_given_up() {
        let mut memo = Memo::default();
        for k in 0..TRIAL + 2 {
            let x = [k as f64];
            assert!(!memo.recall(0, &x, &mut [0.0]));
            memo.keep(0, &x, &[1.0]);
        }
        assert!(memo.tables[0].is_given_up() && memo.tables[0].numbers.is_empty());
        assert!(!memo.recall(0, &[TRIAL as f64], &mut [0.0]));
    }
}
