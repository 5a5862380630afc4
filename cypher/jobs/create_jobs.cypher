// Queues jobs; those that somebody has taken already come with a lease. The clock is the database's, which all processes
// share.
UNWIND $rows AS row
CREATE (job:Job)
SET job = row.properties, job.revision = 1, job.createdAt = timestamp(), job.updatedAt = timestamp(),
  job.place = toString(timestamp()) + row.suffix, job.leaseUntil = timestamp() + row.leaseMs,
  job.leaseMs = row.leaseMs
RETURN row.at AS at
