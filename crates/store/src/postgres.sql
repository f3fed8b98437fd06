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
