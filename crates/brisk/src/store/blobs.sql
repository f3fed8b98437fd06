-- What brisk built that tasks need on other machines, once for all tasks.
CREATE TABLE blob (
    digest TEXT PRIMARY KEY,
    needed TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE blob_part (
    digest TEXT NOT NULL REFERENCES blob (digest) ON DELETE CASCADE,
    part BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (digest, part)
);

CREATE TABLE task_blob (
    key TEXT NOT NULL REFERENCES task (key) ON DELETE CASCADE,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (key, path)
);

CREATE INDEX task_blob_of_digest ON task_blob (digest);
