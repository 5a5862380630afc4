// Lists some jobs that have been over for long.
MATCH (job:Job)
WHERE job.completedAt < timestamp() - toInteger($ageMs)
WITH job LIMIT toInteger($limit)
RETURN job.jobId AS jobId
