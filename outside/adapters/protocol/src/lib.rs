//! The protocol by which getio measures a store that runs in another process: frames over
//! standard input and output, as docs/adapter.md describes them. An adapter implements
//! [`Engine`] and [`Store`], and calls [`run`].

mod codec;
mod open;
mod serve;

pub use codec::{Answer, Cache, Claim, Configuration, Hello, Mode, Open, Opened, Record, Stat, VERSION};
pub use open::Options;
pub use serve::{run, serve};

/// What went wrong, in one sentence for people.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// What an adapter offers.
pub trait Engine {
    fn hello(&self) -> Hello;
    /// Opens a store. The configuration is one of those that `hello` lists, never empty.
    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)>;
}

/// A store that is open. An error is told to getio in its own words, and the store stays open.
pub trait Store {
    /// Takes records that the next commit makes part of the store.
    fn load(&mut self, records: &[Record<'_>]) -> Result<()>;
    /// Makes all that was loaded durable, and returns the store's root.
    fn commit(&mut self) -> Result<Vec<u8>>;
    /// Looks the keys up in their order.
    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>>;
    /// Says of each key of the last `get`, which asked for proofs, whether its proof proves the
    /// claim under the root.
    fn check(&mut self, root: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>>;
    fn stats(&mut self) -> Result<Vec<Stat>>;
    /// Empties the store's caches in this process.
    fn drop_caches(&mut self) -> Result<()>;
    /// Returns when the store does no work of its own any more, and all commits are durable.
    fn quiesce(&mut self) -> Result<()> {
        Ok(())
    }
    /// Makes all commits durable, and lets go of the store.
    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
