// Lists some jobs whose short-lived results have expired, or whose creators have newer ones.
MATCH (job:Job)
USING INDEX SEEK job:Job(shortLived, createdBy, place)
WHERE job.shortLived = true AND job.createdBy > '' AND job.place > ''
WITH job ORDER BY job.shortLived DESC, job.createdBy DESC, job.place DESC
WITH job.createdBy AS owner, collect(job{.jobId, .completedAt}) AS jobs
UNWIND range(0, size(jobs) - 1) AS rank
WITH jobs[rank] AS job, rank
WHERE rank >= toInteger($kept) OR job.completedAt < timestamp() - toInteger($ageMs)
RETURN job.jobId AS jobId
LIMIT toInteger($limit)
