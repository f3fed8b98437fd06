-- docs/schema.md explains every table and column.

-- Of what was stored before, neither is known.
ALTER TABLE experiment_detail ADD COLUMN execution TEXT;
ALTER TABLE experiment_detail ADD COLUMN elapsed_seconds REAL;

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
