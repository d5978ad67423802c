//! The store itself, in each of its forms.

use std::num::{NonZeroU16, NonZeroU64, NonZeroUsize};

use commonware_codec::{Codec, EncodeSize};
use commonware_cryptography::{Sha256, sha256::Digest};
use commonware_parallel::Sequential;
use commonware_runtime::BLOB_PAGE_SIZE;
use commonware_runtime::buffer::paged::{CacheRef, page_size};
use commonware_runtime::tokio::Context;
use commonware_storage::index::ordered::Index;
use commonware_storage::journal::contiguous::{Mutable, fixed, variable};
use commonware_storage::merkle::full::Config as MerkleConfig;
use commonware_storage::merkle::{Location, mmb::Family};
use commonware_storage::qmdb::any::ValueEncoding;
use commonware_storage::qmdb::any::ordered::{Operation, Update};
use commonware_storage::qmdb::current::ordered::proof::constant::{ExclusionProof, KeyValueProof};
use commonware_storage::qmdb::current::ordered::{db::Db, fixed::Db as FixedDb, variable::Db as VariableDb};
use commonware_storage::qmdb::current::{Config, FixedConfig, VariableConfig};
use commonware_storage::qmdb::floor::Proportional;
use commonware_storage::translator::EightCap;
use commonware_utils::sequence::FixedBytes;
use getio_adapter::{Answer, Options, Result};

use crate::MAX_VALUE;

pub type Key = FixedBytes<32>;

const PAGE: NonZeroU16 = page_size(BLOB_PAGE_SIZE);
/// The bytes of a page of the page cache, with its checksum.
pub const PAGE_BYTES: u64 = 4096;

/// The directory by which a store is recognised.
pub const SIGN: &str = "pinned";

/// Bytes of the library's buffers for writing and replaying the log.
const BUFFER: NonZeroUsize = NonZeroUsize::new(2 << 20).unwrap();

/// Operations per chunk of the bitmap that says which are current, in bytes of it.
const CHUNK: usize = 32;

/// An open store. What changes it takes it, and gives it back on success.
pub trait Database: Sized {
    type Proof;
    /// The root of the current state; empty as long as nothing was committed.
    fn root(&self) -> Vec<u8>;
    async fn commit(self, records: Vec<(Key, Vec<u8>)>) -> Result<Self>;
    /// Removes the part of the log that holds no current value.
    async fn prune(self) -> Result<Self>;
    async fn get(&self, keys: Vec<Key>, proofs: bool) -> Result<(Vec<Answer>, Vec<Self::Proof>)>;
    fn check(root: &[u8], proofs: &[Self::Proof], claims: &[Option<Vec<u8>>]) -> Result<Vec<bool>>;
}

/// A value as the store types it.
pub trait Value: Sized {
    /// None if the store cannot hold a value of this size.
    fn new(bytes: &[u8]) -> Option<Self>;
    fn bytes(&self) -> &[u8];
    /// Marks a commit in the log.
    fn mark() -> Self;
}

impl Value for Vec<u8> {
    fn new(bytes: &[u8]) -> Option<Self> {
        Some(bytes.to_vec())
    }

    fn bytes(&self) -> &[u8] {
        self
    }

    fn mark() -> Self {
        vec![1]
    }
}

impl<const N: usize> Value for FixedBytes<N> {
    fn new(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(FixedBytes::new)
    }

    fn bytes(&self) -> &[u8] {
        self.as_ref()
    }

    fn mark() -> Self {
        FixedBytes::new([1; N])
    }
}

/// Opens or creates a store whose values have any size.
pub async fn open_variable(context: Context, options: Options) -> Result<impl Database> {
    let cache = page_cache(&options);
    let config: VariableConfig<EightCap, _, Sequential> = config(
        &options,
        &cache,
        variable::Config {
            partition: "log".into(),
            items_per_section: items(&options),
            compression: None,
            codec_config: ((), ((0..=MAX_VALUE as usize).into(), ())),
            page_cache: cache.clone(),
            write_buffer: BUFFER,
            replay_buffer: BUFFER,
        },
    );
    let db: VariableDb<Family, Context, Key, Vec<u8>, Sha256, EightCap, CHUNK, Sequential> =
        VariableDb::init(context, config, None).await?;
    Log::new(db).await
}

/// Opens or creates a store whose values all have N bytes.
pub async fn open_fixed<const N: usize>(context: Context, options: Options) -> Result<impl Database> {
    let cache = page_cache(&options);
    let config: FixedConfig<EightCap, Sequential> = config(
        &options,
        &cache,
        fixed::Config {
            partition: "log".into(),
            items_per_blob: items(&options),
            page_cache: cache.clone(),
            write_buffer: BUFFER,
            replay_buffer: BUFFER,
        },
    );
    let db: FixedDb<Family, Context, Key, FixedBytes<N>, Sha256, EightCap, CHUNK, Sequential> =
        FixedDb::init(context, config, None).await?;
    Log::new(db).await
}

fn page_cache(options: &Options) -> CacheRef {
    CacheRef::new(PAGE, NonZeroUsize::new(options.get("page_cache_pages") as usize).expect("it was checked"))
}

fn items(options: &Options) -> NonZeroU64 {
    NonZeroU64::new(options.get("items_per_blob")).expect("it was checked")
}

fn config<J>(options: &Options, cache: &CacheRef, journal_config: J) -> Config<EightCap, J, Sequential> {
    Config {
        merkle_config: MerkleConfig {
            journal_partition: "nodes".into(),
            metadata_partition: SIGN.into(),
            items_per_blob: items(options),
            write_buffer: BUFFER,
            replay_buffer: BUFFER,
            strategy: Sequential,
            page_cache: cache.clone(),
        },
        journal_config,
        grafted_metadata_partition: "grafted".into(),
        translator: EightCap,
        init_cache: NonZeroUsize::new(options.get("init_cache_entries") as usize),
        init_buffer: BUFFER,
        init_concurrency: (),
    }
}

/// A store with values of one encoding, and whether anything was committed to it.
struct Log<V: ValueEncoding, C: Mutable<Item = Operation<Family, Key, V>>>
where
    Operation<Family, Key, V>: Codec,
{
    db: State<V, C>,
    used: bool,
}

type State<V, C> = Db<Family, Context, C, Key, V, Index<EightCap, Location<Family>>, Sha256, CHUNK, Sequential>;

/// The proof of one key's value or absence.
pub enum Proof<V: ValueEncoding> {
    Present(Key, KeyValueProof<Family, Key, Digest, CHUNK>),
    Absent(Key, ExclusionProof<Family, Key, V, Digest, CHUNK>),
}

impl<V: ValueEncoding<Value: Value>, C: Mutable<Item = Operation<Family, Key, V>> + 'static> Log<V, C>
where
    Operation<Family, Key, V>: Codec,
{
    async fn new(db: State<V, C>) -> Result<Self> {
        let used = db.get_metadata().await?.is_some();
        Ok(Log { db, used })
    }

    async fn prove(&self, key: Key, present: bool) -> Result<Proof<V>> {
        Ok(match present {
            true => Proof::Present(key.clone(), self.db.key_value_proof(key).await?),
            false => {
                let proof = self.db.exclusion_proof(&key).await?;
                Proof::Absent(key, proof)
            }
        })
    }
}

impl<V: ValueEncoding<Value: Value>, C: Mutable<Item = Operation<Family, Key, V>> + 'static> Database for Log<V, C>
where
    Operation<Family, Key, V>: Codec,
    Update<Key, V>: EncodeSize,
{
    type Proof = Proof<V>;

    fn root(&self) -> Vec<u8> {
        if self.used { self.db.root().to_vec() } else { vec![] }
    }

    async fn commit(self, records: Vec<(Key, Vec<u8>)>) -> Result<Self> {
        let used = self.used || !records.is_empty();
        let mut batch = self.db.new_batch();
        for (key, value) in records {
            let value = V::Value::new(&value).ok_or("the configuration takes no value of this size")?;
            batch = batch.write(key, Some(value));
        }
        let mark = used.then(V::Value::mark);
        let batch = batch.merkleize(&self.db, mark, &mut Proportional).await?;
        let db = self.db.apply_batch(batch).await?.sync().await?;
        Ok(Log { db, used })
    }

    async fn prune(self) -> Result<Self> {
        let boundary = self.db.sync_boundary();
        Ok(Log { db: self.db.prune(boundary).await?, used: self.used })
    }

    async fn get(&self, keys: Vec<Key>, proofs: bool) -> Result<(Vec<Answer>, Vec<Proof<V>>)> {
        let mut answers = Vec::with_capacity(keys.len());
        let mut made = vec![];
        for key in keys {
            let value = self.db.get(&key).await?;
            let mut answer = Answer { value: value.map(|v| v.bytes().to_vec()), proof: 0 };
            if proofs {
                let proof = self.prove(key, answer.value.is_some()).await?;
                answer.proof = match &proof {
                    Proof::Present(_, p) => p.encode_size(),
                    Proof::Absent(_, p) => p.encode_size(),
                } as u32;
                made.push(proof);
            }
            answers.push(answer);
        }
        Ok((answers, made))
    }

    fn check(root: &[u8], proofs: &[Proof<V>], claims: &[Option<Vec<u8>>]) -> Result<Vec<bool>> {
        let root = Digest::try_from(root).map_err(|_| "roots have 32 bytes")?;
        let proves = |(proof, claim): (&Proof<V>, &Option<Vec<u8>>)| match (proof, claim) {
            (Proof::Present(key, p), Some(value)) => {
                V::Value::new(value).is_some_and(|v| p.verify::<Sha256, V>(key.clone(), v, &root))
            }
            (Proof::Absent(key, p), None) => p.verify::<Sha256>(key, &root),
            _ => false,
        };
        Ok(proofs.iter().zip(claims).map(proves).collect())
    }
}
