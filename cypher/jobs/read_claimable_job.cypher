// Finds one job that is free, or whose lease was written before the clock was set back.
MATCH (job:Job)
USING INDEX SEEK job:Job(open, place)
WHERE job.open = true AND job.place > ''
  AND job.operation IN $operations
  AND (coalesce(job.leaseUntil, 0) < timestamp() OR job.leaseUntil > timestamp() + coalesce(job.leaseMs, 3600000))
RETURN job.jobId AS jobId
LIMIT 1
