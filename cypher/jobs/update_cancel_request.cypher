// Requests the cancellation of jobs. A job that has not started ends at once, unless it completes work that is half
// done.
UNWIND $rows AS row
MATCH (job:Job {jobId: row.jobId})
SET job.revision = job.revision + 1
WITH job, row, job.status = 'QUEUED' AND NOT coalesce(job.committed, false) AS isUntouched
WHERE job.open = true
SET job.cancelRequested = true,
  job.updatedAt = timestamp(),
  job.status = CASE WHEN isUntouched THEN 'CANCELLED' ELSE 'CANCELLING' END,
  job.completedAt = CASE WHEN isUntouched THEN timestamp() END,
  job.end = CASE WHEN isUntouched THEN toString(timestamp()) + ' {"status":"CANCELLED"}' END,
  job.open = CASE WHEN isUntouched THEN null ELSE true END,
  job.exclusive = CASE WHEN isUntouched THEN null ELSE job.exclusive END
RETURN row.at AS at
