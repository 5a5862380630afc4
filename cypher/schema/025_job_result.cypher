// Results that are kept for a shorter time than their jobs.
CREATE INDEX Job_shortLived IF NOT EXISTS FOR (n:Job) ON (n.shortLived, n.createdBy, n.place)
