//! Text that many variables share: units, quantities, descriptions, names of classes.
//!
//! A copy is a pointer, and no text is none: a million variables of one unit hold it once.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One pointer: a variable has four of them.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text(Option<Arc<Box<str>>>);

impl Text {
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", |text| text)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text((!text.is_empty()).then(|| Arc::new(text.into())))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        text.as_str().into()
    }
}

impl From<Text> for String {
    fn from(text: Text) -> String {
        text.as_str().to_owned()
    }
}

impl From<&Text> for String {
    fn from(text: &Text) -> String {
        text.as_str().to_owned()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        String::deserialize(from).map(Text::from)
    }
}

/// Each text once.
#[derive(Default)]
pub struct Texts(rustc_hash::FxHashSet<Kept>);

#[derive(PartialEq, Eq, Hash)]
struct Kept(Arc<Box<str>>);

impl Borrow<str> for Kept {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Texts {
    pub fn share(&mut self, text: &str) -> Text {
        if text.is_empty() {
            return Text::default();
        }
        if let Some(kept) = self.0.get(text) {
            return Text(Some(kept.0.clone()));
        }
        let new: Arc<Box<str>> = Arc::new(text.into());
        self.0.insert(Kept(new.clone()));
        Text(Some(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_and_none_is_empty() {
        let mut texts = Texts::default();
        let (a, b) = (texts.share("V"), texts.share("V"));
        assert!(std::ptr::eq(a.as_str(), b.as_str()));
        assert_eq!(texts.share(""), Text::default());
        assert_eq!(Text::from(String::new()), Text::default());
    }
}
