// Records that could not be sent are listed by when that was.
CREATE INDEX Unsent_failedAt IF NOT EXISTS FOR (n:Unsent) ON (n.failedAt)
