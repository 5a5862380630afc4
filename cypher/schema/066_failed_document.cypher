// Records whose documents could not be made are listed by when that was.
CREATE INDEX Dirty_failedAt IF NOT EXISTS FOR (n:Dirty) ON (n.failedAt)
