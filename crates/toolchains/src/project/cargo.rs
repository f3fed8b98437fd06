//! Cargo: packages, workspaces, and their programs, benchmarks and examples (the Cargo book, "Cargo
//! Targets", "Workspaces" and "Configuration").

use toml::de::DeTable;

use super::{
    Files, Product, Recognised, Role, System, join, last, matches_pattern, parent, quoted, upwards,
};

/// A package of the project.
struct Package {
    folder: String,
    name: String,
    default_run: Option<String>,
    /// Programs, each with its required features.
    bins: Vec<(String, Vec<String>)>,
    benches: Vec<String>,
    examples: Vec<String>,
}

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let text = files.text(&join(folder, "Cargo.toml"))?;
    let manifest = DeTable::parse(&text).ok()?;
    let root = workspace_root(files, folder);
    let own = package(files, folder, manifest.get_ref());
    let members = if root == folder { members(files, &root) } else { Vec::new() };
    let is_alone = root == folder && members.is_empty();
    let target = target_folder(files, &root);
    // The packages that `cargo build` builds: the one in the current folder, else those of the
    // workspace.
    let is_default = |package: &Package| match &own {
        Some(own) => own.folder == package.folder,
        None => is_default_member(manifest.get_ref(), &root, &package.folder),
    };
    let mut products = Vec::new();
    let rest =
        members.iter().filter(|member| own.as_ref().is_none_or(|own| own.folder != member.folder));
    for package in own.iter().chain(rest) {
        let which = if is_alone { String::new() } else { format!(" -p {}", quoted(&package.name)) };
        add(&mut products, package, &which, &target, is_default(package));
    }
    let build = match &own {
        Some(own) if root != folder => format!("cargo build --release -p {}", quoted(&own.name)),
        _ => "cargo build --release".to_owned(),
    };
    Some(Recognised { system: System::Cargo, folder: root, build, products })
}

/// The command that builds a file without a known target, derived from the one for releases.
pub(super) fn build_of(release: &str, artifact: &str) -> String {
    let mut parts = artifact.split('/').skip_while(|part| *part != "target").skip(1);
    match parts.next() {
        Some("debug") => release.replace(" --release", ""),
        Some(profile) if profile != "release" && !profile.contains('-') => {
            release.replace("--release", &format!("--profile {}", quoted(profile)))
        }
        _ => release.to_owned(),
    }
}

fn add(
    products: &mut Vec<Product>,
    package: &Package,
    which: &str,
    target: &str,
    is_default: bool,
) {
    for (name, features) in &package.bins {
        let is_chosen = package.default_run.as_ref().is_none_or(|run| run == name);
        let features = match features.as_slice() {
            [] => String::new(),
            some => format!(" --features {}", quoted(&some.join(","))),
        };
        products.push(Product {
            name: name.clone(),
            build: format!("cargo build --release{which} --bin {}{features}", quoted(name)),
            artifact: format!("{target}/release/{name}"),
            role: if is_default && is_chosen { Role::Program } else { Role::Beside },
        });
    }
    for name in &package.benches {
        products.push(Product {
            name: name.clone(),
            build: format!("cargo bench --no-run{which} --bench {}", quoted(name)),
            // The name of the crate, and a hash.
            artifact: format!("{target}/release/deps/{}-*", name.replace('-', "_")),
            role: Role::Benchmarks,
        });
    }
    for name in &package.examples {
        products.push(Product {
            name: name.clone(),
            build: format!("cargo build --release{which} --example {}", quoted(name)),
            artifact: format!("{target}/release/examples/{name}"),
            role: Role::Beside,
        });
    }
}

/// The nearest folder at or above this one whose manifest has `[workspace]`; this one if there is
/// none, or if that workspace excludes it.
fn workspace_root(files: Files<'_>, folder: &str) -> String {
    for above in upwards(folder) {
        if let Some(text) = files.text(&join(above, "Cargo.toml"))
            && let Ok(manifest) = DeTable::parse(&text)
            && let Some(workspace) = table(manifest.get_ref(), "workspace")
        {
            let is_out = texts(workspace, "exclude").iter().any(|one| {
                let out = join(above, one.trim_matches('/'));
                folder == out || folder.starts_with(&format!("{out}/"))
            });
            return if is_out { folder.to_owned() } else { above.to_owned() };
        }
    }
    folder.to_owned()
}

/// The packages of the workspace, if this folder has one.
fn members(files: Files<'_>, root: &str) -> Vec<Package> {
    let Some(text) = files.text(&join(root, "Cargo.toml")) else { return Vec::new() };
    let Ok(manifest) = DeTable::parse(&text) else { return Vec::new() };
    let Some(workspace) = table(manifest.get_ref(), "workspace") else { return Vec::new() };
    let (included, excluded) = (texts(workspace, "members"), texts(workspace, "exclude"));
    let is_one = |list: &[String], folder: &str| {
        list.iter().any(|one| matches_pattern(one.trim_matches('/'), folder))
    };
    let manifests = files.below(root).filter(|name| last(name) == "Cargo.toml");
    manifests
        .map(parent)
        .filter(|folder| is_one(&included, folder) && !is_one(&excluded, folder))
        .filter_map(|folder| {
            let folder = join(root, folder);
            let text = files.text(&join(&folder, "Cargo.toml"))?;
            package(files, &folder, DeTable::parse(&text).ok()?.get_ref())
        })
        .collect()
}

/// True if `cargo build` builds a member when it runs in a workspace without a root package.
fn is_default_member(manifest: &DeTable<'_>, root: &str, folder: &str) -> bool {
    let named = table(manifest, "workspace").map(|w| texts(w, "default-members"));
    let named = named.unwrap_or_default();
    let is_named = |one: &String| matches_pattern(&join(root, one.trim_matches('/')), folder);
    named.is_empty() || named.iter().any(is_named)
}

/// Cargo's output folder according to `.cargo/config.toml`, without the profile.
fn target_folder(files: Files<'_>, root: &str) -> String {
    let text = ["config.toml", "config"]
        .iter()
        .find_map(|name| files.text(&join(root, &format!(".cargo/{name}"))))
        .unwrap_or_default();
    let config = DeTable::parse(&text).ok();
    let build = config.as_ref().and_then(|config| table(config.get_ref(), "build"));
    let said = |key| build.and_then(|build| self::text(build, key));
    let folder = said("target-dir").unwrap_or("target").trim_end_matches('/');
    match said("target") {
        Some(triple) => format!("{folder}/{triple}"),
        None => folder.to_owned(),
    }
}

fn package(files: Files<'_>, folder: &str, manifest: &DeTable<'_>) -> Option<Package> {
    let package = table(manifest, "package")?;
    let name = text(package, "name")?.to_owned();
    let found = |kind, seen| targets(files, folder, manifest, package, kind, seen);
    let main = files.has(&join(folder, "src/main.rs"));
    let main = main.then(|| (name.clone(), "src/main.rs".to_owned()));
    let bins = found("bin", main.into_iter().chain(sources(files, folder, "src/bin")).collect());
    let names =
        |targets: Vec<(String, Vec<String>)>| targets.into_iter().map(|one| one.0).collect();
    Some(Package {
        default_run: text(package, "default-run").map(str::to_owned),
        bins,
        benches: names(found("bench", sources(files, folder, "benches"))),
        examples: names(found("example", sources(files, folder, "examples"))),
        folder: folder.to_owned(),
        name,
    })
}

/// The targets that a folder's files define, with their paths: `NAME.rs` and `NAME/main.rs`.
fn sources(files: Files<'_>, folder: &str, within: &str) -> Vec<(String, String)> {
    let found = files.below(&join(folder, within)).filter_map(|name| {
        let target = match name.split_once('/') {
            None => name.strip_suffix(".rs")?,
            Some((target, "main.rs")) => target,
            Some(_) => return None,
        };
        Some((target.to_owned(), format!("{within}/{name}")))
    });
    found.collect()
}

/// The targets of a kind, including those that the manifest names, with required features.
fn targets(
    files: Files<'_>,
    folder: &str,
    manifest: &DeTable<'_>,
    package: &DeTable<'_>,
    kind: &str,
    mut found: Vec<(String, String)>,
) -> Vec<(String, Vec<String>)> {
    let automatic = match kind {
        "bin" => "autobins",
        "bench" => "autobenches",
        _ => "autoexamples",
    };
    if package.get(automatic).and_then(|value| value.get_ref().as_bool()) == Some(false) {
        found.clear();
    }
    let listed = manifest.get(kind).and_then(|value| value.get_ref().as_array());
    let mut all = Vec::new();
    for target in listed.into_iter().flatten().filter_map(|value| value.get_ref().as_table()) {
        let Some(name) = text(target, "name") else { continue };
        let path = text(target, "path");
        found.retain(|(other, its)| other != name && Some(its.as_str()) != path);
        if path.is_none_or(|path| files.has(&join(folder, path))) {
            all.push((name.to_owned(), texts(target, "required-features")));
        }
    }
    found.into_iter().map(|(name, _)| (name, Vec::new())).chain(all).collect()
}

fn table<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeTable<'a>> {
    table.get(key)?.get_ref().as_table()
}

fn text<'t>(table: &'t DeTable<'_>, key: &str) -> Option<&'t str> {
    table.get(key)?.get_ref().as_str()
}

fn texts(table: &DeTable<'_>, key: &str) -> Vec<String> {
    let values = table.get(key).and_then(|value| value.get_ref().as_array());
    let texts = values.into_iter().flatten().filter_map(|value| value.get_ref().as_str());
    texts.map(str::to_owned).collect()
}
