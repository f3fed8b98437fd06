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
