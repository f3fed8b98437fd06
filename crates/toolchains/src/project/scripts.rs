//! Projects in interpreted languages: nothing is compiled, so the whole checkout is the artefact,
//! and runs in place. The project's dependencies are installed if a lock file lists them.

use super::{Files, Product, Recognised, Role, System, join};

/// The files that identify each system.
const MARKS: [(System, &[&str]); 3] = [
    (System::Node, &["package.json"]),
    (System::Python, &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]),
    (System::Ruby, &["Gemfile"]),
];

/// The artefact that is the checkout.
pub(super) const CHECKOUT: &str = ".";

pub(super) fn look(files: Files<'_>, folder: &str) -> Option<Recognised> {
    let is_marked = |names: &[&str]| names.iter().any(|name| files.has(&join(folder, name)));
    let mut marked = MARKS.iter().filter(|(_, names)| is_marked(names)).map(|(system, _)| *system);
    let is_here = |ending: &str| {
        files.below(folder).any(|name| !name.contains('/') && name.ends_with(ending))
    };
    let others = [(System::Ruby, ".gemspec"), (System::Python, ".py"), (System::Shell, ".sh")];
    let system = marked
        .next()
        .or_else(|| others.into_iter().find(|(_, ending)| is_here(ending)).map(|(one, _)| one))?;
    let build = match system {
        System::Node => node(files, folder),
        _ => String::new(),
    };
    let product = Product {
        name: "checkout".to_owned(),
        build: build.clone(),
        artifact: CHECKOUT.to_owned(),
        role: Role::Program,
    };
    Some(Recognised { system, folder: folder.to_owned(), build, products: vec![product] })
}

/// The command that installs the packages of a lock file and runs the script `build`, as far as
/// these exist.
fn node(files: Files<'_>, folder: &str) -> String {
    let text = files.text(&join(folder, "package.json")).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let has_some = |name: &str| package[name].as_object().is_some_and(|some| !some.is_empty());
    let lock_files = [
        ("package-lock.json", "npm ci"),
        ("npm-shrinkwrap.json", "npm ci"),
        ("yarn.lock", "yarn install --frozen-lockfile"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ];
    let lock = lock_files.into_iter().find(|(name, _)| files.has(&join(folder, name)));
    let needs_packages = has_some("dependencies") || has_some("devDependencies");
    let install = lock.filter(|_| needs_packages).map(|(_, command)| command);
    let is_built = package["scripts"]["build"].is_string();
    let build = is_built.then_some("npm run build");
    install.into_iter().chain(build).collect::<Vec<_>>().join(" && ")
}
