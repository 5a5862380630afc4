// Lists the jobs of one creator before a position, newest first.
MATCH (job:Job)
USING INDEX SEEK job:Job(createdBy, place)
WHERE job.createdBy = $createdBy AND job.place < $edge
WITH job ORDER BY job.createdBy DESC, job.place DESC
LIMIT toInteger($limit)
RETURN job{.*} AS node
