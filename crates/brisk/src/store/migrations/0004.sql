-- docs/schema.md explains every table and column.

CREATE TABLE harness_measurement (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    round INTEGER NOT NULL,
    measurements TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, round)
) WITHOUT ROWID;
