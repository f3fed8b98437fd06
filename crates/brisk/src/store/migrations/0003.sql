-- docs/schema.md explains every table and column.

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
