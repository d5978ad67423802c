//! The encoded messages: little-endian numbers; texts, bytes and lists after their length in
//! four bytes.

use crate::Result;

/// The version of the protocol that this crate implements.
pub const VERSION: u32 = 1;

/// The largest size of a frame without its length, in bytes.
pub const MAX_FRAME: usize = 64 << 20;

pub const GREETING: &str = "getio-adapter";

/// An adapter's description of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hello {
    pub engine: String,
    pub engine_version: String,
    /// Changes made to the engine's code.
    pub patches: Vec<String>,
    /// Ways to set up the store. The first is the default.
    pub configurations: Vec<Configuration>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    pub name: String,
    pub about: String,
    /// Limits of key sizes, in bytes.
    pub min_key: u32,
    pub max_key: u32,
    /// The only sizes of values allowed; if there are none, `min_value` and `max_value` are
    /// the limits.
    pub value_sizes: Vec<u32>,
    pub min_value: u32,
    pub max_value: u32,
    /// The hash that the engine applies to keys; empty if none.
    pub key_hash: String,
    pub proofs: Proofs,
    pub ordered: bool,
    pub memory_per_key: f64,
    pub caches: Vec<Cache>,
}

/// What a store can prove.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Proofs {
    #[default]
    None,
    /// That a key has a value, and that a key is absent.
    All,
    /// That a key has a value.
    OfPresence,
}

/// A cache in this process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cache {
    pub name: String,
    /// Its size in bytes with a budget of 0.
    pub least: u64,
    /// Not even `drop_caches` empties it.
    pub stays: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Create,
    Write,
    Read,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    pub dir: String,
    pub configuration: String,
    pub mode: Mode,
    /// The number of keys that the store will have; 0 if unknown.
    pub keys: u64,
    /// The budget of all caches in this process.
    pub cache_bytes: u64,
    /// NAME=VALUE each.
    pub options: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    pub root: Vec<u8>,
    /// All options with their values.
    pub options: Vec<(String, String)>,
}

pub type Record<'a> = (&'a [u8], &'a [u8]);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// None if the key was not found.
    pub value: Option<Vec<u8>>,
    /// Size of the proof in bytes; 0 if none was requested.
    pub proof: u32,
}

/// States that a key has this value, or is absent.
pub type Claim<'a> = Option<&'a [u8]>;

#[derive(Clone, Debug, PartialEq)]
pub struct Stat {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: f64,
}

#[derive(Debug, PartialEq)]
pub enum Request<'a> {
    Hello { version: u32 },
    Open(Open),
    Load(Vec<Record<'a>>),
    Commit,
    Get { proofs: bool, keys: Vec<&'a [u8]> },
    Check { root: &'a [u8], claims: Vec<Claim<'a>> },
    Stats,
    DropCaches,
    Quiesce,
    Close,
}

impl<'a> Request<'a> {
    pub fn decode(kind: u8, payload: &'a [u8]) -> Result<Request<'a>> {
        let mut d = Decoder { rest: payload };
        let request = match kind {
            1 => {
                if d.text()? != GREETING {
                    return Err("it does not start with the greeting of getio".into());
                }
                let version = d.u32()?;
                if version != VERSION {
                    d.rest = &[]; // the rest is of another version
                }
                Request::Hello { version }
            }
            2 => Request::Open(Open {
                dir: d.text()?.into(),
                configuration: d.text()?.into(),
                mode: match d.u8()? {
                    0 => Mode::Create,
                    1 => Mode::Write,
                    2 => Mode::Read,
                    other => return Err(format!("unknown mode {other}").into()),
                },
                keys: d.u64()?,
                cache_bytes: d.u64()?,
                options: d.list(4, |d| Ok(d.text()?.to_string()))?,
            }),
            3 => Request::Load(d.list(8, |d| Ok((d.bytes()?, d.bytes()?)))?),
            4 => Request::Commit,
            5 => Request::Get { proofs: d.bool()?, keys: d.list(4, Decoder::bytes)? },
            6 => Request::Check { root: d.bytes()?, claims: d.list(5, Decoder::claim)? },
            7 => Request::Stats,
            8 => Request::DropCaches,
            9 => Request::Quiesce,
            10 => Request::Close,
            other => return Err(format!("a frame of kind {other:#04x}").into()),
        };
        match d.rest.len() {
            0 => Ok(request),
            more => Err(format!("{more} bytes follow its end").into()),
        }
    }
}

struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or("it ends too early")?;
        self.rest = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into()?))
    }

    fn bool(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("a boolean is {other}, not 0 or 1").into()),
        }
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let n = self.u32()? as usize;
        self.take(n)
    }

    fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| "a text is not UTF-8".into())
    }

    fn claim(&mut self) -> Result<Claim<'a>> {
        match (self.bool()?, self.bytes()?) {
            (true, value) => Ok(Some(value)),
            (false, []) => Ok(None),
            (false, _) => Err("a key that is not there has a value".into()),
        }
    }

    /// Items take at least `least` bytes each, so that a false number of items takes no more
    /// memory than the payload.
    fn list<T>(&mut self, least: usize, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let n = self.u32()? as usize;
        if n > self.rest.len() / least {
            return Err("it ends too early".into());
        }
        (0..n).map(|_| one(self)).collect()
    }
}

/// The payload of an answer.
#[derive(Debug, PartialEq)]
pub enum Reply {
    Hello(Hello),
    Opened(Opened),
    Root(Vec<u8>),
    Got { nanoseconds: u64, answers: Vec<Answer> },
    Checked(Vec<bool>),
    Stats(Vec<Stat>),
    Done,
}

impl Reply {
    pub fn append(&self, b: &mut Vec<u8>) {
        match self {
            Reply::Hello(h) => hello(b, h),
            Reply::Opened(o) => {
                bytes(b, &o.root);
                list(b, &o.options, |b, (name, value)| {
                    bytes(b, name.as_bytes());
                    bytes(b, value.as_bytes());
                });
            }
            Reply::Root(root) => bytes(b, root),
            Reply::Got { nanoseconds, answers } => {
                b.extend(nanoseconds.to_le_bytes());
                list(b, answers, |b, a| {
                    b.push(a.value.is_some().into());
                    bytes(b, a.value.as_deref().unwrap_or_default());
                    b.extend(a.proof.to_le_bytes());
                });
            }
            Reply::Checked(proven) => list(b, proven, |b, p| b.push((*p).into())),
            Reply::Stats(stats) => list(b, stats, |b, s| {
                bytes(b, s.name.as_bytes());
                bytes(b, s.unit.as_bytes());
                b.extend(s.value.to_le_bytes());
            }),
            Reply::Done => {}
        }
    }
}

fn hello(b: &mut Vec<u8>, h: &Hello) {
    bytes(b, GREETING.as_bytes());
    b.extend(VERSION.to_le_bytes());
    bytes(b, h.engine.as_bytes());
    bytes(b, h.engine_version.as_bytes());
    list(b, &h.patches, |b, p| bytes(b, p.as_bytes()));
    list(b, &h.configurations, |b, c| {
        bytes(b, c.name.as_bytes());
        bytes(b, c.about.as_bytes());
        b.extend(c.min_key.to_le_bytes());
        b.extend(c.max_key.to_le_bytes());
        list(b, &c.value_sizes, |b, s| b.extend(s.to_le_bytes()));
        b.extend(c.min_value.to_le_bytes());
        b.extend(c.max_value.to_le_bytes());
        bytes(b, c.key_hash.as_bytes());
        b.push(c.proofs as u8);
        b.push(c.ordered.into());
        b.extend(c.memory_per_key.to_le_bytes());
        list(b, &c.caches, |b, c| {
            bytes(b, c.name.as_bytes());
            b.extend(c.least.to_le_bytes());
            b.push(c.stays.into());
        });
    });
}

pub fn bytes(b: &mut Vec<u8>, v: &[u8]) {
    b.extend((v.len() as u32).to_le_bytes());
    b.extend(v);
}

fn list<T>(b: &mut Vec<u8>, items: &[T], one: impl Fn(&mut Vec<u8>, &T)) {
    b.extend((items.len() as u32).to_le_bytes());
    for item in items {
        one(b, item);
    }
}

#[cfg(test)]
#[path = "codec_test.rs"]
mod tests;
