// Jobs are forgotten some time after their end.
CREATE INDEX Job_completedAt IF NOT EXISTS FOR (n:Job) ON (n.completedAt)
