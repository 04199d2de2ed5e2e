//! Credentials of NATS users: JWTs signed by keys, as the tool `nsc` makes them.

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// The authority that vouches for the accounts of a server.
pub struct Operator {
    key: KeyPair,
    account: KeyPair,
    system: KeyPair,
}

impl Default for Operator {
    fn default() -> Self {
        Self {
            key: KeyPair::new_operator(),
            account: KeyPair::new_account(),
            system: KeyPair::new_account(),
        }
    }
}

impl Operator {
    /// The configuration of a server with one account for users, which may use JetStream without limits.
    pub fn config(&self) -> String {
        let operator = json!({ "type": "operator", "version": 2 });
        let any = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
            "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        });
        let account = json!({ "limits": any, "type": "account", "version": 2 });
        let mut plain = account.clone();
        for name in ["mem_storage", "disk_storage", "streams", "consumer"] {
            plain["limits"][name] = json!(0);
        }
        let preload = [(&self.account, account), (&self.system, plain)]
            .map(|(key, claims)| {
                format!("{}: {}", key.public_key(), signed(&self.key, key, &claims))
            })
            .join("\n");
        format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n{preload}\n}}\n",
            signed(&self.key, &self.key, &operator),
            self.system.public_key()
        )
    }

    /// The credentials file of a new user of the account.
    pub fn creds(&self) -> String {
        let user = KeyPair::new_user();
        let claims = json!({
            "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2,
        });
        let token = signed(&self.account, &user, &claims);
        let seed = user.seed().expect("a key of its own");
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    }
}

/// Returns what an issuer says of a subject.
fn signed(issuer: &KeyPair, subject: &KeyPair, claims: &Value) -> String {
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let head = part(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let body = part(&json!({
        "jti": subject.public_key(), "iat": 1_700_000_000, "iss": issuer.public_key(), "name": "test",
        "sub": subject.public_key(), "nats": claims,
    }));
    let text = format!("{head}.{body}");
    let signature = issuer.sign(text.as_bytes()).expect("a key of its own");
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}
