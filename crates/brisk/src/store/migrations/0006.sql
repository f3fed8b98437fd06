-- docs/schema.md explains every table and column.

ALTER TABLE experiment ADD COLUMN kind TEXT NOT NULL DEFAULT 'compare';
ALTER TABLE experiment ADD COLUMN project TEXT NOT NULL DEFAULT '';

UPDATE experiment SET kind = former.kind, project = former.project
FROM former WHERE former.experiment = experiment.id;

DROP VIEW former;

-- What is inspected is not run in rounds: it has no seed, no commands and no rule.
CREATE TABLE detail (
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
    history TEXT
);

INSERT INTO detail SELECT
    experiment, arguments, cwd, brisk_version, seed, commands, rule, metrics, machine, conditions,
    summary, contrasts, subject, history
FROM experiment_detail;

DROP TABLE experiment_detail;
ALTER TABLE detail RENAME TO experiment_detail;
CREATE INDEX experiment_of_subject ON experiment_detail (subject) WHERE subject IS NOT NULL;
