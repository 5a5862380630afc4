// Counts the jobs that are not over, in total and of one creator.
MATCH (job:Job)
USING INDEX SEEK job:Job(open, place)
WHERE job.open = true AND job.place > ''
RETURN count(job) AS total, count(CASE WHEN job.createdBy = $createdBy THEN 1 END) AS own
