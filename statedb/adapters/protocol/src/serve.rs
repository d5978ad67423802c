//! The adapter's end of a session.

use std::io::{self, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use crate::codec::{MAX_FRAME, Reply, Request, VERSION, bytes};
use crate::{Engine, Mode, Result, Store, return_unused_memory};

const ANSWER: u8 = 0x80;
const FAILED: u8 = 0xff;

/// Serves standard input and output until there are no more requests.
pub fn run(engine: &dyn Engine) -> ExitCode {
    match serve(io::stdin().lock(), io::stdout().lock(), engine) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the input is not a request from getio ({error}): let getio start the adapter");
            ExitCode::FAILURE
        }
    }
}

/// Answers requests until there are no more.
pub fn serve(requests: impl Read, mut answers: impl Write, engine: &dyn Engine) -> Result<()> {
    let mut requests = BufReader::with_capacity(1 << 16, requests);
    let mut session = Session { engine, store: None, mode: Mode::Read, greeted: false, proofs: 0 };
    let mut frame = Vec::new();
    let mut answer = Vec::new();
    while read_frame(&mut requests, &mut frame)? {
        let (kind, request) = (frame[0], Request::decode(frame[0], &frame[1..])?);
        answer.clear();
        answer.extend([0, 0, 0, 0, kind | ANSWER]);
        let mut failed = None;
        match session.handle(request) {
            Ok(reply) => reply.append(&mut answer),
            Err(error) => failed = Some(error.to_string()),
        }
        if answer.len() - 4 > MAX_FRAME {
            failed = Some("the answer would be larger than a frame: ask for less at a time".to_string());
        }
        if let Some(text) = failed {
            answer.truncate(4);
            answer.push(FAILED);
            bytes(&mut answer, text.as_bytes());
        }
        let length = (answer.len() - 4) as u32;
        answer[..4].copy_from_slice(&length.to_le_bytes());
        answers.write_all(&answer)?;
        answers.flush()?;
    }
    match session.store.take() {
        Some(store) => store.close(),
        None => Ok(()),
    }
}

/// Reads kind and payload of the next frame; false at the end of the requests.
fn read_frame(requests: &mut impl Read, frame: &mut Vec<u8>) -> Result<bool> {
    let mut length = [0; 4];
    match requests.read(&mut length[..1])? {
        0 => return Ok(false),
        _ => requests.read_exact(&mut length[1..])?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length == 0 || length > MAX_FRAME {
        return Err(format!("a frame of {length} bytes").into());
    }
    frame.clear();
    requests.take(length as u64).read_to_end(frame)?; // grows with the bytes received
    match frame.len() == length {
        true => Ok(true),
        false => Err("a frame ends too early".into()),
    }
}

struct Session<'e> {
    engine: &'e dyn Engine,
    store: Option<Box<dyn Store>>,
    mode: Mode, // of the store
    greeted: bool,
    /// Number of keys of the last get, if it asked for proofs.
    proofs: usize,
}

impl Session<'_> {
    fn handle(&mut self, request: Request<'_>) -> Result<Reply> {
        if let Request::Hello { version } = request {
            self.greeted = version == VERSION;
            return Ok(Reply::Hello(self.engine.hello()));
        }
        if !self.greeted {
            return Err("the session did not start with hello".into());
        }
        if let Request::Open(mut open) = request {
            if self.store.is_some() {
                return Err("a store is open already".into());
            }
            open.configuration = self.configuration(&open.configuration)?;
            let (store, opened) = self.engine.open(&open)?;
            (self.store, self.mode) = (Some(store), open.mode);
            return Ok(Reply::Opened(opened));
        }
        let store = self.store.as_mut().ok_or("no store is open")?;
        if matches!(request, Request::Load(_) | Request::Commit) && self.mode == Mode::Read {
            return Err("the store is open for reading only".into());
        }
        let proofs = std::mem::take(&mut self.proofs);
        Ok(match request {
            Request::Load(records) => store.load(&records).map(|()| Reply::Done)?,
            Request::Commit => Reply::Root(store.commit()?),
            Request::Get { proofs, keys } => {
                let begin = Instant::now();
                let answers = store.get(&keys, proofs)?;
                self.proofs = if proofs { keys.len() } else { 0 };
                Reply::Got { nanoseconds: begin.elapsed().as_nanos() as u64, answers }
            }
            Request::Check { root, claims } => {
                if claims.len() != proofs {
                    let n = claims.len();
                    return Err(format!("{n} claims, but the lookups before asked for {proofs} proofs").into());
                }
                self.proofs = proofs;
                Reply::Checked(store.check(root, &claims)?)
            }
            Request::Stats => Reply::Stats(store.stats()?),
            Request::DropCaches => store.drop_caches().map(|()| Reply::Done)?,
            Request::Quiesce => {
                store.quiesce()?;
                if self.mode == Mode::Read {
                    return_unused_memory(); // getio measures what the store needs
                }
                Reply::Done
            }
            Request::Close => self.store.take().map_or(Ok(()), |s| s.close()).map(|()| Reply::Done)?,
            Request::Hello { .. } | Request::Open(_) => unreachable!("handled above"),
        })
    }

    /// The name of a configuration; an empty name returns the default.
    fn configuration(&self, name: &str) -> Result<String> {
        let names: Vec<String> = self.engine.hello().configurations.into_iter().map(|c| c.name).collect();
        match names.iter().find(|n| name.is_empty() || *n == name) {
            Some(found) => Ok(found.clone()),
            None => Err(format!("no configuration {name:?}: use one of {}", names.join(", ")).into()),
        }
    }
}

#[cfg(test)]
#[path = "serve_test.rs"]
mod tests;
