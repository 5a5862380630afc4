// Lists some jobs that ended long ago.
MATCH (job:Job)
WHERE job.completedAt < timestamp() - toInteger($ageMs)
WITH job LIMIT toInteger($limit)
RETURN job.jobId AS jobId
