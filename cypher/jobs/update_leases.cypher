// Renews the leases of one process, and answers which of its jobs are to be cancelled.
UNWIND $rows AS row
MATCH (job:Job {jobId: row.jobId})
SET job.revision = job.revision + 1
WITH job, row
WHERE job.claim = row.claim
SET job.leaseUntil = timestamp() + row.leaseMs
RETURN row.at AS at, coalesce(job.cancelRequested, false) AS cancelRequested
