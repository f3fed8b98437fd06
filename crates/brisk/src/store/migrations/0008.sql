-- docs/schema.md explains every table and column.

CREATE TABLE history_part (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
);
