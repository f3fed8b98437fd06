//! What a task is called: by what is asked, so that who asks the same again finds the task again.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use model::commission::{Commission, digest_of_program};

/// So many characters of the digest tell tasks apart: 80 bits.
const LENGTH: usize = 20;

/// The name of a task on an engine: the same for the same commission, whoever hands it over, while
/// the programs are the same and so is brisk. The order of the runs is part of it only where somebody
/// chose its `seed`.
pub fn key(commission: &Commission, seed: Option<u64>, engine: &str) -> String {
    let mut asked = serde_json::to_value(commission).expect("texts and finite numbers");
    let fields = asked.as_object_mut().expect("a commission has fields");
    fields.remove("arguments");
    fields.insert("seed".to_owned(), json!(seed));
    let variants = commission.execution.iter().flat_map(|one| &one.experiment.variants);
    // What is not there now may be made by a setup command, or be there only where it runs.
    let mut programs: Vec<Value> =
        variants.map(|variant| json!(digest_of_program(&variant.run).ok())).collect();
    programs.dedup();
    // A value of JSON keeps its fields sorted.
    let whole = json!([env!("CARGO_PKG_VERSION"), engine, programs, asked]);
    let digest = Sha256::digest(whole.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..LENGTH].to_owned()
}
