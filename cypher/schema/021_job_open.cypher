// Jobs that are not over are found in the order in which they came; jobs that are over have no such property.
CREATE INDEX Job_open IF NOT EXISTS FOR (n:Job) ON (n.open, n.place)
