//! The store runs in an asynchronous runtime on a thread of its own, for as long as it is open.
//! A session passes requests to it and waits for the replies.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use commonware_runtime::Runner as _;
use commonware_runtime::tokio::{Config, Context, Runner};
use getio_adapter::{Answer, Claim, Error, Options, Record, Result, Stat, Store, return_unused_memory};

use crate::log::{Database, Key};

pub enum Request {
    Commit(Vec<(Key, Vec<u8>)>),
    Get(Vec<Key>, bool),
    Check(Vec<u8>, Vec<Option<Vec<u8>>>),
    Quiesce,
}

pub enum Reply {
    Root(Vec<u8>),
    Answers(Vec<Answer>),
    Proven(Vec<bool>),
    Done,
}

pub struct Session {
    requests: Option<SyncSender<Request>>, // none once it is being closed
    replies: Receiver<Result<Reply>>,
    thread: Option<JoinHandle<()>>, // none once it has ended
    loaded: BTreeMap<Key, Vec<u8>>,
    index_bytes: u64, // memory that opening the store took
}

impl Session {
    /// Opens the store with `open` in a runtime of its own, and returns its root.
    pub fn start<D: Database>(
        open: impl AsyncFnOnce(Context, Options) -> Result<D> + Send + 'static,
        dir: &str,
        options: &Options,
    ) -> Result<(Session, Vec<u8>)> {
        let (requests, inbox) = sync_channel(1);
        let (outbox, replies) = sync_channel(1);
        let (dir, options) = (PathBuf::from(dir), options.clone());
        let before = anonymous_bytes();
        let thread = std::thread::spawn(move || {
            let config = Config::new().with_storage_directory(dir).with_worker_threads(options.get("threads") as usize);
            Runner::new(config).start(|context| async move {
                match open(context, options).await {
                    Ok(database) => answer(database, inbox, outbox).await,
                    Err(error) => drop(outbox.send(Err(error))),
                }
            });
        });
        let mut session = Session {
            requests: Some(requests),
            replies,
            thread: Some(thread),
            loaded: BTreeMap::new(),
            index_bytes: 0,
        };
        match session.receive()? {
            Reply::Root(root) => {
                return_unused_memory(); // of the keys that were held while the log was read
                session.index_bytes = anonymous_bytes().saturating_sub(before);
                Ok((session, root))
            }
            _ => unreachable!("an opened store replies with its root"),
        }
    }

    fn receive(&self) -> Result<Reply> {
        self.replies.recv().map_err(|_| Error::from("the store's thread has ended"))?
    }

    fn ask(&self, request: Request) -> Result<Reply> {
        let requests = self.requests.as_ref().expect("a session that is being closed gets no request");
        requests.send(request).map_err(|_| Error::from("the store's thread has ended"))?;
        self.receive()
    }
}

/// Answers requests until there are no more. A store whose commit failed is gone: the library
/// takes it, and gives it back only on success.
async fn answer<D: Database>(database: D, inbox: Receiver<Request>, outbox: SyncSender<Result<Reply>>) {
    let mut proofs = vec![];
    let mut database = Some(database);
    let mut grown = false; // since the log was last pruned
    let first = database.as_ref().map(|d| Reply::Root(d.root()));
    let _ = outbox.send(first.ok_or_else(|| Error::from("it did not open")));
    while let Ok(request) = inbox.recv() {
        let Some(open) = database.take() else {
            let _ = outbox.send(Err("an earlier commit failed: open the store again".into()));
            continue;
        };
        let reply = match request {
            Request::Commit(records) => match open.commit(records).await {
                Ok(committed) => {
                    let root = committed.root();
                    grown = true;
                    database = Some(committed);
                    Ok(Reply::Root(root))
                }
                Err(error) => Err(error),
            },
            Request::Quiesce if !grown => {
                database = Some(open);
                Ok(Reply::Done)
            }
            Request::Quiesce => match open.prune().await {
                Ok(pruned) => {
                    grown = false;
                    database = Some(pruned);
                    Ok(Reply::Done)
                }
                Err(error) => Err(error),
            },
            Request::Get(keys, with_proofs) => {
                let got = open.get(keys, with_proofs).await;
                database = Some(open);
                got.map(|(answers, made)| {
                    proofs = made;
                    Reply::Answers(answers)
                })
            }
            Request::Check(root, claims) => {
                database = Some(open);
                D::check(&root, &proofs, &claims).map(Reply::Proven)
            }
        };
        let _ = outbox.send(reply);
    }
}

/// The memory of this process that belongs to no file; 0 where the kernel does not say.
fn anonymous_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib =
        status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn key(bytes: &[u8]) -> Result<Key> {
    Ok(Key::new(bytes.try_into().map_err(|_| "keys have 32 bytes")?))
}

impl Store for Session {
    fn load(&mut self, records: &[Record<'_>]) -> Result<()> {
        for (k, value) in records {
            self.loaded.insert(key(k)?, value.to_vec());
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<Vec<u8>> {
        let loaded = std::mem::take(&mut self.loaded).into_iter().collect();
        match self.ask(Request::Commit(loaded))? {
            Reply::Root(root) => Ok(root),
            _ => unreachable!("a commit replies with the root"),
        }
    }

    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>> {
        let keys = keys.iter().map(|k| key(k)).collect::<Result<_>>()?;
        match self.ask(Request::Get(keys, proofs))? {
            Reply::Answers(answers) => Ok(answers),
            _ => unreachable!("lookups reply with answers"),
        }
    }

    fn check(&mut self, root: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>> {
        let claims = claims.iter().map(|c| c.map(<[u8]>::to_vec)).collect();
        match self.ask(Request::Check(root.to_vec(), claims))? {
            Reply::Proven(proven) => Ok(proven),
            _ => unreachable!("a check replies with verdicts"),
        }
    }

    fn stats(&mut self) -> Result<Vec<Stat>> {
        Ok(vec![Stat { name: "memory_index".into(), unit: "bytes".into(), value: self.index_bytes as f64 }])
    }

    fn drop_caches(&mut self) -> Result<()> {
        Ok(()) // its one page stays
    }

    fn quiesce(&mut self) -> Result<()> {
        self.ask(Request::Quiesce).map(drop)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.requests = None;
        let thread = self.thread.take().expect("a session is closed once");
        thread.join().map_err(|_| Error::from("the store's thread has failed"))
    }
}
