-- What PostgreSQL has besides the tables of schema.sql. docs/schema.md explains every table and
-- column.

-- One row. It marks the tables as brisk's, and tells databases apart that had the same address.
CREATE TABLE store (
    version BIGINT NOT NULL,
    identity TEXT NOT NULL
);

-- Who measures an experiment, and until when that is believed without another word.
CREATE TABLE lease (
    experiment BIGINT PRIMARY KEY REFERENCES experiment (id),
    owner TEXT NOT NULL,
    until TIMESTAMPTZ NOT NULL,
    seen BIGINT NOT NULL
);

-- What workers are to measure. A task that is done stays until one of the same name is handed over.
CREATE TABLE task (
    key TEXT PRIMARY KEY,
    place BIGINT GENERATED ALWAYS AS IDENTITY,
    stamp BIGINT NOT NULL,
    class TEXT NOT NULL,
    brisk TEXT NOT NULL,
    task TEXT NOT NULL,
    attempt BIGINT NOT NULL DEFAULT 0,
    worker TEXT,
    until TIMESTAMPTZ,
    progress TEXT NOT NULL DEFAULT '',
    is_done BIGINT NOT NULL DEFAULT 0
);

-- What waits is found without reading what is done.
CREATE INDEX task_waiting ON task (place) WHERE is_done = 0;

CREATE TABLE attempt (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key TEXT NOT NULL,
    stamp BIGINT NOT NULL,
    number BIGINT NOT NULL,
    worker TEXT NOT NULL,
    began TIMESTAMPTZ NOT NULL DEFAULT now(),
    ended TIMESTAMPTZ,
    is_accepted BIGINT NOT NULL DEFAULT 0,
    result TEXT,
    trouble TEXT,
    log TEXT
);

CREATE INDEX attempt_of_task ON attempt (key, stamp);

-- Whatever brisk does, no task has two results.
CREATE UNIQUE INDEX attempt_accepted ON attempt (key, stamp) WHERE is_accepted = 1;

CREATE TABLE worker (
    name TEXT PRIMARY KEY,
    class TEXT NOT NULL,
    brisk TEXT NOT NULL,
    seen TIMESTAMPTZ NOT NULL
);

CREATE UNIQUE INDEX run_in_order ON run (experiment, source, warmup DESC, round, position);

-- What SQLite calls so.
CREATE FUNCTION instr(text, text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT strpos($1, $2)';

CREATE FUNCTION json_valid(text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
'BEGIN RETURN $1::json IS NOT NULL; EXCEPTION WHEN others THEN RETURN false; END';

-- Of SQLite's paths, only those to a field of the whole.
CREATE FUNCTION json_extract(text, text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1::json ->> substr($2, 3)';

CREATE VIEW reading AS
SELECT
    run.experiment AS experiment,
    run.source AS source,
    run.warmup AS warmup,
    run.round AS round,
    run.position AS position,
    run.variant AS variant,
    reading_list.metric AS metric,
    CASE json_typeof(cell.value) WHEN 'number' THEN (cell.value #>> '{}')::double precision END
        AS value,
    missing_reason.reason AS missing
FROM run
CROSS JOIN LATERAL json_array_elements(run.readings::json) WITH ORDINALITY AS cell (value, place)
JOIN reading_list
    ON reading_list.experiment = run.experiment
    AND reading_list.source = run.source
    AND reading_list.number = cell.place - 1
LEFT JOIN missing_reason
    ON json_typeof(cell.value) = 'string'
    AND missing_reason.number = (CASE json_typeof(cell.value) WHEN 'string'
        THEN cell.value #>> '{}' END)::bigint
WHERE json_typeof(cell.value) <> 'null';
