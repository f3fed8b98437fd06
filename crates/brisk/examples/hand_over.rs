//! Submits many tasks to Slurm, and prints the time that took: for `benches/run engines`.
//!
//! `hand_over TASK FOLDER COUNT`: copies of the task in the folder TASK, with separate titles.

#![expect(clippy::print_stdout, reason = "it is for a benchmark")]

use std::path::Path;

use engine::Chosen;
use engine::folder::{self, Task, TaskFolder, TaskProgress};
use engine::wait::{TaskWatcher, Tasks};
use measure::clock::Stopwatch;
use model::spec::project::EngineTable;

struct Nobody;

impl TaskWatcher for Nobody {
    fn watch(&mut self, _done: usize, _progress: Option<&TaskProgress>, _queued: Option<&str>) {}

    fn say(&mut self, text: &str) {
        println!("{text}");
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [task, root, count] = words.as_slice() else { panic!("hand_over TASK FOLDER COUNT") };
    let count: u32 = count.parse().expect("a number");
    let usual = EngineTable::usual("slurm").expect("Slurm needs no table");
    let table = EngineTable { folder: Some(root.into()), ..usual };
    let engine = Chosen::new(&table).expect("it has a folder");
    engine.check().expect("there is a Slurm");
    let template = folder::read(Path::new(task)).expect("a task").commission;
    let brisk = Path::new("/bin/true");
    let watch = Stopwatch::start();
    let folders: Vec<TaskFolder> = (0..count)
        .map(|number| {
            let mut commission = template.clone();
            commission.title = format!("task {number}");
            let key = folder::key(&commission, None, &table.name);
            let task = Task::new(commission);
            TaskFolder::hand_over(root.as_ref(), &key, &task, brisk).expect("writable").0
        })
        .collect();
    let handed = watch.elapsed();
    let waited = Tasks::new(engine.engine(), &folders, &mut Nobody).wait(true);
    waited.expect("they are accepted");
    println!(
        "{:.2} s, {:.2} s of them for the folders",
        watch.elapsed().as_secs_f64(),
        handed.as_secs_f64()
    );
}
