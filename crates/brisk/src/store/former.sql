-- What experiments of the former schema say of their kind and their project. Before `experiment`
-- has columns for both, this is how they are read, and how the columns are filled.

-- The verb is the first word of the command line that is one. Where there is none, the experiment
-- was made by a program other than brisk, which only ever compared.
CREATE TEMP VIEW former (experiment, kind, project) AS
SELECT
    detail.experiment,
    CASE
        WHEN asked.verb = 'sweep' AND EXISTS (
            SELECT 1 FROM json_each(asked.words) AS word WHERE word.value = '--tune'
        ) THEN 'tune'
        ELSE coalesce(asked.verb, 'compare')
    END,
    coalesce(
        CASE WHEN json_valid(detail.history)
            THEN json_extract(detail.history, '$.history.repository') END,
        CASE WHEN detail.subject LIKE 'check of %' THEN substr(detail.subject, 10) END,
        detail.cwd
    )
FROM experiment_detail AS detail
LEFT JOIN (
    SELECT
        experiment,
        words,
        (
            SELECT word.value FROM json_each(words) AS word
            WHERE word.value IN ('compare', 'bench', 'history', 'sweep', 'check')
            ORDER BY word.key LIMIT 1
        ) AS verb
    FROM (
        SELECT experiment, CASE WHEN json_valid(arguments) THEN arguments ELSE '[]' END AS words
        FROM experiment_detail
    )
) AS asked ON asked.experiment = detail.experiment;
