// Saves the progress of jobs that the process still holds.
UNWIND $rows AS row
MATCH (job:Job {jobId: row.jobId})
SET job.revision = job.revision + 1
WITH job, row
WHERE job.claim = row.claim
SET job += row.changes,
  job.leaseUntil = timestamp() + row.leaseMs,
  job.updatedAt = timestamp(),
  job.completedAt = CASE WHEN row.end IS NOT NULL THEN timestamp() END,
  job.end = toString(timestamp()) + ' ' + row.end,
  job.logs = (coalesce(job.logs, []) + [entry IN row.logs | toString(timestamp()) + ' ' + entry])[-100..]
RETURN row.at AS at, coalesce(job.cancelRequested, false) AS cancelRequested
