// Counts the jobs of one creator.
MATCH (job:Job)
USING INDEX SEEK job:Job(createdBy, place)
WHERE job.createdBy = $createdBy AND job.place > ''
RETURN count(job) AS total
