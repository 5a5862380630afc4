// Says of a job that its result is kept no longer.
MATCH (job:Job {jobId: $jobId})
SET job.shortLived = null, job.resultExpired = true
RETURN job.jobId AS jobId
