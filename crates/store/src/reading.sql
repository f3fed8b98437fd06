-- The rows of `run.readings`; PostgreSQL's are in postgres.sql.

CREATE VIEW reading AS
SELECT
    run.experiment AS experiment,
    run.source AS source,
    run.warmup AS warmup,
    run.round AS round,
    run.position AS position,
    run.variant AS variant,
    reading_list.metric AS metric,
    CASE cell.type WHEN 'text' THEN NULL ELSE CAST(cell.value AS REAL) END AS value,
    missing_reason.reason AS missing
FROM run
CROSS JOIN json_each(run.readings) AS cell
CROSS JOIN reading_list
    ON reading_list.experiment = run.experiment
    AND reading_list.source = run.source
    AND reading_list.number = cell.key
LEFT JOIN missing_reason
    ON cell.type = 'text' AND missing_reason.number = CAST(cell.value AS INTEGER)
WHERE cell.type <> 'null';
