// Lists the jobs of one operation by all creators, newest first.
MATCH (job:Job)
USING INDEX SEEK job:Job(operation, place)
WHERE job.operation = $operation AND job.place > ''
WITH job ORDER BY job.operation DESC, job.place DESC
LIMIT toInteger($limit)
RETURN job{.*} AS node
