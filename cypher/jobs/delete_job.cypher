// Removes a job.
MATCH (job:Job {jobId: $jobId})
DELETE job
RETURN $jobId AS jobId
