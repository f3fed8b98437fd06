//! The web page that compares two commits, derived from the address of a remote.
//!
//! Only for hosts with known pages; for others, no link is better than a broken one. The text
//! before an `@` in an address may contain a password, and is never repeated.

use super::git::{Repository, line};

/// The page that shows the changes between `from` and `to` at the repository's remote: `origin`, or
/// the only remote.
pub fn remote_compare_url(repository: &Repository, from: &str, to: &str) -> Option<String> {
    let remotes = repository.ask(["remote"]).ok()?;
    let remotes = String::from_utf8_lossy(&remotes).into_owned();
    let mut names: Vec<&str> = remotes.lines().collect();
    names.sort_by_key(|name| *name != "origin");
    let (first, others) = names.split_first()?;
    if *first != "origin" && !others.is_empty() {
        return None;
    }
    let address = repository.ask(["remote", "get-url", first]).ok()?;
    compare_url(line(address).to_str()?, from, to)
}

/// The page that compares two commits of the repository at `address`.
pub fn compare_url(address: &str, from: &str, to: &str) -> Option<String> {
    let (host, path) = host_and_path(address)?;
    let host = match host.to_ascii_lowercase().as_str() {
        // These hosts accept ssh on the port of https.
        "ssh.github.com" => "github.com".to_owned(),
        "altssh.gitlab.com" => "gitlab.com".to_owned(),
        "altssh.bitbucket.org" => "bitbucket.org".to_owned(),
        host => host.to_owned(),
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~/+".contains(c);
    if !path.contains('/') || !path.chars().all(is_plain) {
        return None;
    }
    let page = match site(&host)? {
        Site::Github | Site::Gitea => format!("compare/{from}...{to}"),
        Site::Gitlab => format!("-/compare/{from}...{to}"),
        // The newer commit comes first, and a carriage return separates them.
        Site::Bitbucket => format!("branches/compare/{to}%0D{from}"),
    };
    Some(format!("https://{host}/{path}/{page}"))
}

/// The software behind the pages.
enum Site {
    Github,
    Gitlab,
    /// Also Forgejo.
    Gitea,
    Bitbucket,
}

/// The software of a host, as far as its name reveals it.
fn site(host: &str) -> Option<Site> {
    let has = |label: &str| host.split('.').any(|part| part == label);
    match host {
        "codeberg.org" => Some(Site::Gitea),
        "bitbucket.org" => Some(Site::Bitbucket),
        "salsa.debian.org" | "framagit.org" | "invent.kde.org" => Some(Site::Gitlab),
        _ if has("github") => Some(Site::Github),
        _ if has("gitlab") => Some(Site::Gitlab),
        _ if has("gitea") || has("forgejo") => Some(Site::Gitea),
        _ => None,
    }
}

/// The host and the path of an address: `ssh://user@host:port/path`, `https://...`, `git://...`, or
/// `user@host:path`.
fn host_and_path(address: &str) -> Option<(&str, &str)> {
    let (authority, path) = match address.split_once("://") {
        Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => {
            let (authority, path) = address.split_once(':')?;
            // A colon after a slash belongs to the name of a local file.
            (!authority.contains('/')).then_some((authority, path))?
        }
    };
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    (!host.is_empty() && host.chars().all(is_plain)).then_some((host, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shapes are those of the pages behind the hosts' own "compare" buttons.
    const PAGES: [(&str, &str); 12] = [
        ("https://github.com/o/r.git", "https://github.com/o/r/compare/a...b"),
        ("https://github.com/o/r/", "https://github.com/o/r/compare/a...b"),
        ("git@github.com:o/r.git", "https://github.com/o/r/compare/a...b"),
        ("ssh://git@ssh.github.com:443/o/r.git", "https://github.com/o/r/compare/a...b"),
        ("https://user:secret@github.com/o/r", "https://github.com/o/r/compare/a...b"),
        ("https://me:p@ss@github.example.com/o/r", "https://github.example.com/o/r/compare/a...b"),
        ("git@gitlab.com:g/s/r.git", "https://gitlab.com/g/s/r/-/compare/a...b"),
        (
            "https://gitlab.haskell.org/ghc/ghc",
            "https://gitlab.haskell.org/ghc/ghc/-/compare/a...b",
        ),
        ("https://salsa.debian.org/o/r.git", "https://salsa.debian.org/o/r/-/compare/a...b"),
        ("git@codeberg.org:o/r.git", "https://codeberg.org/o/r/compare/a...b"),
        ("https://u@bitbucket.org/o/r.git", "https://bitbucket.org/o/r/branches/compare/b%0Da"),
        ("git://GitHub.com/o/r", "https://github.com/o/r/compare/a...b"),
    ];

    #[test]
    fn the_hosts_pages_are_found() {
        for (address, page) in PAGES {
            assert_eq!(compare_url(address, "a", "b").as_deref(), Some(page), "{address}");
        }
    }

    #[test]
    fn where_no_page_is_known_there_is_none() {
        for address in [
            "",
            "../elsewhere",
            "/srv/git/github.com/r.git",
            "file:///srv/git/r",
            "https://example.com/o/r",
            "https://notgithub.com/o/r",
            "git@github.com:r",
            "https://github.com",
            "https://github.com/o/r?x=<script>",
            "git@ser ver:o/r",
        ] {
            assert_eq!(compare_url(address, "a", "b"), None, "{address}");
        }
    }
}
