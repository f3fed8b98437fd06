-- docs/schema.md explains every table and column.

CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_unix_ns INTEGER NOT NULL,
    finished_unix_ns INTEGER,
    state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted', 'failed')),
    stop_reason TEXT,
    title TEXT NOT NULL,
    variants INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    answer TEXT,
    kind TEXT NOT NULL,
    project TEXT NOT NULL
);

-- What a kill left unfinished is found without reading every experiment.
CREATE INDEX experiment_running ON experiment (id) WHERE state = 'running';

-- Apart from `experiment`, whose rows stay small: the list reads them, every slice of runs
-- rewrites one. What is inspected is not run in rounds: it has no seed, no commands and no rule.
CREATE TABLE experiment_detail (
    experiment INTEGER PRIMARY KEY REFERENCES experiment (id),
    arguments TEXT NOT NULL,
    cwd TEXT NOT NULL,
    brisk_version TEXT NOT NULL,
    seed TEXT,
    commands INTEGER,
    rule TEXT,
    metrics TEXT,
    machine TEXT NOT NULL,
    conditions TEXT NOT NULL,
    summary TEXT,
    contrasts TEXT,
    subject TEXT,
    history TEXT,
    execution TEXT,
    elapsed_seconds REAL
);

-- What was measured of a subject before is found without reading every experiment.
CREATE INDEX experiment_of_subject ON experiment_detail (subject) WHERE subject IS NOT NULL;

CREATE TABLE variant (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;

CREATE TABLE variant_label (
    experiment INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, number),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;

CREATE TABLE reading_list (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    source TEXT NOT NULL,
    number INTEGER NOT NULL,
    metric TEXT NOT NULL,
    PRIMARY KEY (experiment, source, number)
) WITHOUT ROWID;

CREATE TABLE missing_reason (
    number INTEGER PRIMARY KEY,
    reason TEXT NOT NULL UNIQUE
);

-- In the order of running, so that runs are appended to the table's end and read from one place.
CREATE TABLE run (
    experiment INTEGER NOT NULL,
    source TEXT NOT NULL,
    warmup INTEGER NOT NULL,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    exit_status INTEGER,
    signal INTEGER,
    left_behind INTEGER NOT NULL,
    stderr_tail TEXT,
    readings TEXT NOT NULL,
    PRIMARY KEY (experiment, source, warmup DESC, round, position),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;

CREATE TABLE look (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    clock REAL NOT NULL,
    elapsed_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;

CREATE TABLE acceptance (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    expectation TEXT NOT NULL,
    commit_hash TEXT,
    unix_ns INTEGER NOT NULL,
    acceptance TEXT NOT NULL
);

CREATE TABLE baseline (
    project TEXT PRIMARY KEY,
    commit_hash TEXT NOT NULL,
    unix_ns INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE setup_run (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    number INTEGER NOT NULL,
    command TEXT NOT NULL,
    readings TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, number),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;

CREATE TABLE memory_curve (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    round INTEGER NOT NULL,
    quantity TEXT NOT NULL,
    seconds TEXT,
    bytes TEXT,
    missing TEXT,
    PRIMARY KEY (experiment, variant, round, quantity)
) WITHOUT ROWID;

CREATE TABLE harness_measurement (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    round INTEGER NOT NULL,
    measurements TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, round)
) WITHOUT ROWID;

CREATE TABLE pause (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    elapsed_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;

CREATE TABLE printed (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    printed TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;

CREATE TABLE noted (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;

-- With a rowid: its documents are large, and a tree of keys alone finds them.
CREATE TABLE history_part (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
);
