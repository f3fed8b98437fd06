-- docs/schema.md explains every table and column.

ALTER TABLE experiment_detail ADD COLUMN contrasts TEXT;
ALTER TABLE experiment_detail ADD COLUMN subject TEXT;
ALTER TABLE experiment_detail ADD COLUMN history TEXT;

-- What was measured of a subject before is found without reading every experiment.
CREATE INDEX experiment_of_subject ON experiment_detail (subject) WHERE subject IS NOT NULL;

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
