// People list their own jobs, newest first.
CREATE INDEX Job_owner IF NOT EXISTS FOR (n:Job) ON (n.createdBy, n.place)
