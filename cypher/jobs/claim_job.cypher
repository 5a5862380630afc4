// Leases the oldest free job to one process. All claims queue for one lock, so that two processes never choose at the
// same time. The job itself is locked before the second check, because it may have been cancelled in the meantime.
UNWIND $rows AS row
MERGE (desk:Lease {name: 'jobs'})
SET desk.touchedAt = timestamp()
WITH row, desk
// A lease that lasts longer than its term was written before the clock was set back, so its term starts again.
CALL (row) {
  MATCH (job:Job)
  USING INDEX SEEK job:Job(open, place)
  WHERE job.open = true AND job.place > '' AND job.leaseUntil > timestamp() + coalesce(job.leaseMs, row.leaseMs)
  SET job.leaseUntil = timestamp() + coalesce(job.leaseMs, row.leaseMs)
  RETURN count(job) AS renewed
}
WITH row, desk
CALL (row) {
  MATCH (job:Job)
  USING INDEX SEEK job:Job(open, place)
  WHERE job.open = true AND job.place > ''
    AND job.operation IN row.operations
    AND coalesce(job.leaseUntil, 0) < timestamp()
    AND NOT EXISTS {
      MATCH (other:Job {exclusive: job.exclusive})
      WHERE other.jobId <> job.jobId AND other.status <> 'QUEUED'
    }
  WITH job, row ORDER BY job.open, job.place
  LIMIT 1
  SET job.revision = job.revision + 1
  WITH job, row, job.status AS found
  WHERE job.open = true AND coalesce(job.leaseUntil, 0) < timestamp()
  SET job.status = CASE job.status WHEN 'QUEUED' THEN 'RUNNING' ELSE job.status END,
    job.claim = row.claim,
    job.leaseUntil = timestamp() + row.leaseMs,
    job.leaseMs = row.leaseMs,
    job.attempts = coalesce(job.attempts, 0) + 1,
    job.updatedAt = timestamp()
  RETURN job, found
}
RETURN job{.*} AS node, found
