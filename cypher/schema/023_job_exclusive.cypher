// Jobs that may not run side by side share a key as long as they are open.
CREATE INDEX Job_exclusive IF NOT EXISTS FOR (n:Job) ON (n.exclusive)
