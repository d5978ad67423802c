use super::*;
use crate::{Answer, Claim, Configuration, Hello, Open, Opened, Record, Stat};

/// An empty store.
struct Nothing;

impl Engine for Nothing {
    fn hello(&self) -> Hello {
        let only = Configuration { name: "only".into(), ..Configuration::default() };
        Hello { configurations: vec![only], ..Hello::default() }
    }

    fn open(&self, open: &Open) -> Result<(Box<dyn Store>, Opened)> {
        assert_eq!(open.configuration, "only");
        Ok((Box::new(Nothing), Opened::default()))
    }
}

impl Store for Nothing {
    fn load(&mut self, _: &[Record<'_>]) -> Result<()> {
        Err("nothing is all it holds".into())
    }
    fn commit(&mut self) -> Result<Vec<u8>> {
        Ok(vec![1])
    }
    fn get(&mut self, keys: &[&[u8]], proofs: bool) -> Result<Vec<Answer>> {
        Ok(vec![Answer { value: None, proof: proofs.into() }; keys.len()])
    }
    fn check(&mut self, _: &[u8], claims: &[Claim<'_>]) -> Result<Vec<bool>> {
        Ok(claims.iter().map(|claim| claim.is_none()).collect())
    }
    fn stats(&mut self) -> Result<Vec<Stat>> {
        Ok(vec![])
    }
    fn drop_caches(&mut self) -> Result<()> {
        Ok(())
    }
}

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32 + 1).to_le_bytes()[..], &[kind], payload].concat()
}

fn hello() -> Vec<u8> {
    frame(1, b"\x0d\0\0\0getio-adapter\x01\0\0\0")
}

fn open(configuration: &str, mode: u8) -> Vec<u8> {
    let mut payload = vec![0; 4];
    bytes(&mut payload, configuration.as_bytes());
    payload.push(mode);
    payload.extend([0; 20]);
    frame(2, &payload)
}

/// Returns the kinds of the answers and the texts of failures.
fn session(requests: &[Vec<u8>]) -> (Vec<u8>, Vec<String>) {
    let mut out = Vec::new();
    serve(&requests.concat()[..], &mut out, &Nothing).unwrap();
    let (mut kinds, mut said) = (vec![], vec![]);
    let mut rest = &out[..];
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
        let (answer, more) = rest[4..].split_at(length);
        kinds.push(answer[0]);
        if answer[0] == FAILED {
            said.push(String::from_utf8(answer[5..].to_vec()).unwrap());
        }
        rest = more;
    }
    (kinds, said)
}

#[test]
fn a_session_continues_after_a_refusal() {
    let get = frame(5, &[1, 1, 0, 0, 0, 0, 0, 0, 0]); // with proofs, one empty key
    let check = frame(6, &[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let requests = [
        frame(7, &[]),
        hello(),
        frame(7, &[]),
        open("other", 0),
        open("", 0),
        open("only", 0),
        frame(3, &[0; 4]),
        check.clone(),
        get,
        check.clone(),
        check.clone(),
        frame(4, &[]),
        check,
        frame(10, &[]),
        open("only", 2),
        frame(3, &[0; 4]),
        frame(4, &[]),
        frame(9, &[]),
    ];
    let (kinds, said) = session(&requests);
    let f = FAILED;
    assert_eq!(kinds, [f, 0x81, f, f, 0x82, f, f, f, 0x85, 0x86, 0x86, 0x84, f, 0x8a, 0x82, f, f, 0x89]);
    let want = [
        "the session did not start with hello",
        "no store is open",
        "no configuration \"other\": use one of only",
        "a store is open already",
        "nothing is all it holds",
        "1 claims, but the lookups before asked for 0 proofs",
        "1 claims, but the lookups before asked for 0 proofs",
        "the store is open for reading only",
        "the store is open for reading only",
    ];
    assert_eq!(said, want);
}

#[test]
fn invalid_frames_end_the_session() {
    let cases: [(&[u8], &str); 5] = [
        (b"GET / HTTP/1.1", "a frame of 542393671 bytes"),
        (&[0, 0, 0, 0], "a frame of 0 bytes"),
        (&hello()[..9], "a frame ends too early"),
        (&frame(1, b"\x05\0\0\0hello\x01\0\0\0"), "it does not start with the greeting of getio"),
        (&frame(77, &[]), "a frame of kind 0x4d"),
    ];
    for (requests, want) in cases {
        let error = serve(requests, std::io::sink(), &Nothing).unwrap_err();
        assert_eq!(error.to_string(), want);
    }
}
