//! What looks like a credential by its name. Content is looked at by the masks of records.

/// Endings of a name that hold what is no secret.
const SAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".pub"];
/// Whole names.
const NAMES: [&str; 15] = [
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".pypirc",
    ".npmrc",
    ".htpasswd",
    ".dockercfg",
    ".vault-token",
    ".boto",
    ".s3cfg",
    "credentials",
    "secrets.json",
    "terraform.tfstate",
    "master.key",
];
/// Beginnings of a name.
const STARTS: [&str; 6] = [
    ".env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "client_secret",
];
/// Extensions.
const EXTENSIONS: [&str; 9] = [
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "asc",
];

/// Whether a path is called what files of credentials are called.
pub(super) fn is_name_of_credential(path: &[u8]) -> bool {
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    if SAMPLES.iter().any(|s| name.ends_with(s)) {
        return false;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    NAMES.contains(&name.as_str())
        || STARTS
            .iter()
            .any(|s| name.starts_with(s) && continues(&name[s.len()..]))
        || EXTENSIONS.contains(&extension) && !stem.is_empty()
        || extension == "json"
            && ["credentials", "service-account", "service_account"]
                .iter()
                .any(|s| stem.contains(s))
}

/// Whether a name goes on behind a marked beginning as one of these files does: `.env.local`,
/// `id_rsa_work`; not `.environment`.
fn continues(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_ascii_alphabetic()) || rest.starts_with("rc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_and_samples_are_none() {
        for name in [
            ".env",
            "a/.env.local",
            ".envrc",
            "deploy/server.pem",
            "x.KEY",
            ".ssh/id_rsa",
            "id_ed25519_work",
            ".netrc",
            "credentials.json",
            "my-credentials-prod.json",
            "client_secret_1.json",
            "store.p12",
        ] {
            assert!(is_name_of_credential(name.as_bytes()), "{name}");
        }
        for name in [
            ".env.example",
            ".environment",
            "id_rsa.pub",
            "key",
            "monkey.java",
            "keys.py",
            "Credentials.java",
            "pem/readme.md",
            ".key",
        ] {
            assert!(!is_name_of_credential(name.as_bytes()), "{name}");
        }
    }
}
