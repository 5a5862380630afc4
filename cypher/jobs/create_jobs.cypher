// Creates jobs; those that a process runs at once already have a lease. Times come from the database clock, which all
// processes share.
UNWIND $rows AS row
CREATE (job:Job)
SET job = row.properties, job.revision = 1, job.createdAt = timestamp(), job.updatedAt = timestamp(),
  job.place = toString(timestamp()) + row.suffix, job.leaseUntil = timestamp() + row.leaseMs,
  job.leaseMs = row.leaseMs
RETURN row.at AS at
