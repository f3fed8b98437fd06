//! Keys of tasks, derived from their commissions, so that repeating a command finds its task again.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use model::commission::{Commission, digest_of_program};

/// The number of hexadecimal digits of the digest that distinguish tasks: 80 bits.
const LENGTH: usize = 20;

/// The key of a task on an engine. It is the same for equal commissions from any user, as long as
/// the programs and brisk are the same. The order of the runs is part of it only if the user chose
/// a `seed`.
pub fn key(commission: &Commission, seed: Option<u64>, engine: &str) -> String {
    let mut asked = serde_json::to_value(commission).expect("texts and finite numbers");
    let fields = asked.as_object_mut().expect("a commission has fields");
    fields.remove("arguments");
    fields.insert("seed".to_owned(), json!(seed));
    let variants = commission.execution.iter().flat_map(|one| &one.experiment.variants);
    // A program missing here may be made by a setup command, or exist only where the task runs.
    let mut programs: Vec<Value> =
        variants.map(|variant| json!(digest_of_program(&variant.run).ok())).collect();
    programs.dedup();
    // JSON values keep their fields sorted.
    let whole = json!([env!("CARGO_PKG_VERSION"), engine, programs, asked]);
    let digest = Sha256::digest(whole.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..LENGTH].to_owned()
}
