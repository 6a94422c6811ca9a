//! Closed forms: arithmetic over `t`, numbers, `pi`, and functions of one or two arguments. Nothing of the compiler is used.

/// The value of a formula at a time.
pub fn value(text: &str, t: f64) -> Result<f64, String> {
    let mut reader = Reader {
        rest: text.trim(),
        t,
    };
    let v = reader.sum()?;
    match reader.rest {
        "" => Ok(v),
        rest => Err(format!("`{rest}` is left of the formula `{text}`")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    t: f64,
}

impl Reader<'_> {
    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut v = self.product()?;
        loop {
            if self.take('+') {
                v += self.product()?;
            } else if self.take('-') {
                v -= self.product()?;
            } else {
                return Ok(v);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut v = self.signed()?;
        loop {
            if self.take('*') {
                v *= self.signed()?;
            } else if self.take('/') {
                v /= self.signed()?;
            } else {
                return Ok(v);
            }
        }
    }

    /// A minus binds less than a power: −t² is −(t²).
    fn signed(&mut self) -> Result<f64, String> {
        if self.take('-') {
            return Ok(-self.signed()?);
        }
        let base = self.atom()?;
        if self.take('^') {
            let exponent = self.signed()?;
            return Ok(base.powf(exponent));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take('(') {
            let v = self.sum()?;
            return self.closed(v);
        }
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        if self.rest.starts_with(is_number) {
            return self.number();
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        match word {
            "t" => return Ok(self.t),
            "pi" => return Ok(std::f64::consts::PI),
            _ => {}
        }
        if !self.take('(') {
            return Err(format!("`{word}` is no value"));
        }
        let x = self.sum()?;
        if self.take(',') {
            let y = self.sum()?;
            let v = match word {
                "max" => x.max(y),
                "min" => x.min(y),
                _ => return Err(format!("`{word}` is no function of two arguments")),
            };
            return self.closed(v);
        }
        let v = match word {
            "exp" => x.exp(),
            "log" => x.ln(),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "tanh" => x.tanh(),
            "sqrt" => x.sqrt(),
            "abs" => x.abs(),
            "floor" => x.floor(),
            _ => return Err(format!("`{word}` is no function")),
        };
        self.closed(v)
    }

    fn closed(&mut self, v: f64) -> Result<f64, String> {
        match self.take(')') {
            true => Ok(v),
            false => Err(format!("`)` is missing before `{}`", self.rest)),
        }
    }

    fn number(&mut self) -> Result<f64, String> {
        let bytes = self.rest.as_bytes();
        let digits = |mut k: usize| {
            while bytes
                .get(k)
                .is_some_and(|c| c.is_ascii_digit() || *c == b'.')
            {
                k += 1;
            }
            k
        };
        let mut end = digits(0);
        if bytes.get(end).is_some_and(|c| *c == b'e') {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            end = digits(end + 1 + sign);
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn formulas_have_their_values() {
        for (text, expected) in [
            ("-t^2 + 3*t/2", -1.0),
            ("1 - (2 - 3)*1e-1", 1.1),
            ("max(1, 2)^2^0.5", 2f64.powf(2f64.sqrt())),
            ("exp(-0.5)*cos(pi)", -(-0.5f64).exp()),
            ("8/2/2", 2.0),
        ] {
            assert_eq!(value(text, 2.0), Ok(expected), "{text}");
        }
        assert!(value("3 +", 0.0).is_err());
        assert!(value("x", 0.0).is_err());
        assert!(value("(1", 0.0).is_err());
    }
}
