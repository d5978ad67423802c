//! The protocol by which getio measures a store in another process: frames over standard
//! input and output, described in statedb/adapter/protocol.md. An adapter implements [`Engine`] and
//! [`Store`], and calls [`run`].

mod codec;
mod memory;
mod open;
mod serve;

pub use codec::{Answer, Cache, Claim, Configuration, Hello, Mode, Open, Opened, Proofs, Record, Stat, VERSION};
pub use memory::{allocate_in_one_arena, return_unused_memory};
pub use open::Options;
pub use serve::{run, serve};

/// A one-sentence error message for people.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// An adapter.
pub trait Engine {
    fn hello(&self) -> Hello;
    /// Opens a store. The configuration is one of those in `hello`, never empty.
    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)>;
}

/// An open store. An error is sent to getio as it is, and the store stays open.
pub trait Store {
    /// Takes records that the next commit makes part of the store.
    fn load(&mut self, records: &[Record<'_>]) -> Result<()>;
    /// Makes what was loaded durable and returns the store's root.
    fn commit(&mut self) -> Result<Vec<u8>>;
    /// Looks up the keys in order.
    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>>;
    /// Reports for each key of the last `get`, which asked for proofs, whether its proof
    /// proves the claim under the root.
    fn check(&mut self, root: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>>;
    fn stats(&mut self) -> Result<Vec<Stat>>;
    /// Empties the store's caches in this process.
    fn drop_caches(&mut self) -> Result<()>;
    /// Returns once the store has no background work left and all commits are durable.
    fn quiesce(&mut self) -> Result<()> {
        Ok(())
    }
    /// Makes all commits durable and closes the store.
    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
