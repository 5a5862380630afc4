// What was staged and abandoned is found by its age.
CREATE INDEX Staged_time IF NOT EXISTS FOR (n:Staged) ON (n.at)
