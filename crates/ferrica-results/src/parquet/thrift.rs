//! Thrift's compact protocol, as far as Parquet's metadata needs it.
//!
//! A struct is a sequence of fields, each a byte `delta << 4 | type` (the delta to the previous
//! field's id) and a value, ended by a zero byte. Integers are zigzag variable-length, strings and
//! lists carry their length first.

const BOOL_TRUE: u8 = 1;
const BOOL_FALSE: u8 = 2;
const BYTE: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Structs deeper than this are not metadata but an attack or an accident.
const MAX_DEPTH: usize = 32;

/// Writes one struct after the other; `fields` remembers the last id of each open struct.
pub struct Writer {
    pub out: Vec<u8>,
    last_id: Vec<i16>,
}

impl Writer {
    /// Opens the outermost struct.
    pub fn new() -> Self {
        Writer {
            out: Vec::new(),
            last_id: vec![0],
        }
    }

    fn field(&mut self, id: i16, kind: u8) {
        if let Some(last) = self.last_id.last_mut() {
            // All ids here are ascending and close together.
            debug_assert!(id > *last && id - *last < 16);
            self.out.push((((id - *last) as u8) << 4) | kind);
            *last = id;
        }
    }

    pub fn i32(&mut self, id: i16, value: i64) {
        self.field(id, I32);
        push_varint(&mut self.out, zigzag(value));
    }

    pub fn i64(&mut self, id: i16, value: i64) {
        self.field(id, I64);
        push_varint(&mut self.out, zigzag(value));
    }

    pub fn string(&mut self, id: i16, value: &str) {
        self.field(id, BINARY);
        self.bare_string(value);
    }

    /// A string within a list.
    pub fn bare_string(&mut self, value: &str) {
        push_varint(&mut self.out, value.len() as u64);
        self.out.extend_from_slice(value.as_bytes());
    }

    /// An integer within a list.
    pub fn bare_i32(&mut self, value: i64) {
        push_varint(&mut self.out, zigzag(value));
    }

    fn list(&mut self, id: i16, kind: u8, length: usize) {
        self.field(id, LIST);
        if length < 15 {
            self.out.push(((length as u8) << 4) | kind);
        } else {
            self.out.push(0xf0 | kind);
            push_varint(&mut self.out, length as u64);
        }
    }

    pub fn list_of_structs(&mut self, id: i16, length: usize) {
        self.list(id, STRUCT, length);
    }

    pub fn list_of_strings(&mut self, id: i16, length: usize) {
        self.list(id, BINARY, length);
    }

    pub fn list_of_i32(&mut self, id: i16, length: usize) {
        self.list(id, I32, length);
    }

    /// Opens a struct as a field of the open one.
    pub fn open(&mut self, id: i16) {
        self.field(id, STRUCT);
        self.last_id.push(0);
    }

    /// Opens a struct as an element of a list.
    pub fn open_element(&mut self) {
        self.last_id.push(0);
    }

    /// Ends the open struct, at last the outermost one.
    pub fn close(&mut self) {
        self.out.push(0);
        self.last_id.pop();
    }
}

pub fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// A decoded value; maps and unknown types are errors.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    Int(i64),
    Double,
    Binary(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(Vec<(i16, Value<'a>)>),
}

impl<'a> Value<'a> {
    pub fn get(&self, id: i16) -> Option<&Value<'a>> {
        match self {
            Value::Struct(fields) => fields.iter().find(|(i, _)| *i == id).map(|(_, v)| v),
            _ => None,
        }
    }

    pub fn int(&self, id: i16) -> Option<i64> {
        match self.get(id)? {
            Value::Int(v) => Some(*v),
            _ => None,
        }
    }

    pub fn text(&self, id: i16) -> Option<String> {
        match self.get(id)? {
            Value::Binary(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    pub fn list(&self, id: i16) -> &[Value<'a>] {
        match self.get(id) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }
}

/// Decodes; every method returns `None` when the bytes end too soon or make no sense.
pub struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn int(&mut self) -> Option<i64> {
        let raw = self.varint()?;
        Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// A whole struct from here on.
    pub fn structure(&mut self) -> Option<Value<'a>> {
        self.structure_at(0)
    }

    fn structure_at(&mut self, depth: usize) -> Option<Value<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut fields = Vec::new();
        let mut id = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(Value::Struct(fields));
            }
            id = match head >> 4 {
                0 => self.int()? as i16,
                delta => id.checked_add(i16::from(delta))?,
            };
            let value = match head & 0xf {
                BOOL_TRUE => Value::Int(1),
                BOOL_FALSE => Value::Int(0),
                kind => self.value(kind, depth)?,
            };
            fields.push((id, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value<'a>> {
        Some(match kind {
            // As a list element, a truth value is a byte of its own.
            BOOL_TRUE | BOOL_FALSE | BYTE => Value::Int(i64::from(self.byte()?)),
            4..=I64 => Value::Int(self.int()?),
            DOUBLE => {
                self.at = self
                    .at
                    .checked_add(8)
                    .filter(|&at| at <= self.bytes.len())?;
                Value::Double
            }
            BINARY => {
                let length = usize::try_from(self.varint()?).ok()?;
                let end = self.at.checked_add(length)?;
                let bytes = self.bytes.get(self.at..end)?;
                self.at = end;
                Value::Binary(bytes)
            }
            LIST | SET => {
                let head = self.byte()?;
                let length = match head >> 4 {
                    15 => usize::try_from(self.varint()?).ok()?,
                    n => usize::from(n),
                };
                // Each element has at least a byte: a longer list is a lie.
                if length > self.bytes.len() - self.at {
                    return None;
                }
                let mut items = Vec::with_capacity(length);
                for _ in 0..length {
                    items.push(self.value(head & 0xf, depth + 1)?);
                }
                Value::List(items)
            }
            STRUCT => self.structure_at(depth + 1)?,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut w = Writer::new();
        w.i32(1, -300);
        w.open(3);
        w.string(2, "naïve");
        w.close();
        w.list_of_i32(5, 20);
        for i in 0..20 {
            w.bare_i32(i);
        }
        w.i64(6, i64::MIN);
        w.close();
        let mut reader = Reader {
            bytes: &w.out,
            at: 0,
        };
        let value = reader.structure().unwrap();
        assert_eq!(reader.at, w.out.len());
        assert_eq!(value.int(1), Some(-300));
        assert_eq!(value.get(3).unwrap().text(2).as_deref(), Some("naïve"));
        assert_eq!(value.list(5).len(), 20);
        assert!(matches!(value.list(5)[19], Value::Int(19)));
        assert_eq!(value.int(6), Some(i64::MIN));
        for cut in 0..w.out.len() {
            assert!(
                Reader {
                    bytes: &w.out[..cut],
                    at: 0
                }
                .structure()
                .is_none()
            );
        }
    }

    /// The compact protocol's own example: zigzag maps 0, -1, 1, -2 to 0, 1, 2, 3.
    #[test]
    fn zigzag_numbers() {
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
