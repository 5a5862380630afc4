// Reads jobs.
UNWIND $rows AS row
MATCH (job:Job {jobId: row.jobId})
RETURN row.at AS at, job{.*} AS node
