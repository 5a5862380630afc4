// Records that the result of a job is no longer stored.
MATCH (job:Job {jobId: $jobId})
SET job.shortLived = null, job.resultExpired = true
RETURN job.jobId AS jobId
