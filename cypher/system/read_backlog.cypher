// Reads how much work waits and for how long the oldest of it: events without a number, records whose search documents
// are out of date or not yet sent to Typesense, and jobs that are free or running. Long backlogs are counted up to a
// limit, because this is asked again and again.
CALL () {
  MATCH (event:Unsequenced)
  WHERE event.entityId > '' AND event.revision IS NOT NULL
  WITH event LIMIT toInteger($limit)
  WITH count(event) AS waiting, min(event.timestamp) AS since
  RETURN 'events' AS queue, waiting, since
  UNION ALL
  RETURN 'search_documents' AS queue, COUNT { (:Dirty) } AS waiting, null AS since
  UNION ALL
  MATCH (unsent:Unsent)
  WHERE unsent.since > 0
  WITH unsent LIMIT toInteger($limit)
  WITH count(unsent) AS waiting, min(unsent.since) AS since
  RETURN 'search_engine' AS queue, waiting, since
  UNION ALL
  MATCH (job:Job)
  USING INDEX SEEK job:Job(open, place)
  WHERE job.open = true AND job.place > ''
  WITH job, coalesce(job.leaseUntil, 0) < timestamp() AS isFree
  WITH count(CASE WHEN isFree THEN 1 END) AS free, count(CASE WHEN NOT isFree THEN 1 END) AS running,
    min(CASE WHEN isFree THEN job.createdAt END) AS freeSince,
    min(CASE WHEN NOT isFree THEN job.createdAt END) AS runningSince
  UNWIND [['jobs_queued', free, freeSince], ['jobs_running', running, runningSince]] AS state
  RETURN state[0] AS queue, state[1] AS waiting, state[2] AS since
}
RETURN queue, waiting, CASE WHEN since IS NULL OR since > timestamp() THEN 0 ELSE timestamp() - since END AS ageMs
