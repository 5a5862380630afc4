// Lists some of the oldest events without a number, and with each all that happened to the same record before. The counter is read first: whoever numbers events meanwhile changes it. The second look at the events begins when the first is over: what the first sees was written after everything that its record had before.
OPTIONAL MATCH (counter:Sequence {name: $name})
WITH coalesce(counter.last, 0) AS last
CALL () {
  MATCH (event:Unsequenced)
  WHERE event.entityId > '' AND event.revision IS NOT NULL
  WITH event ORDER BY event.timestamp
  LIMIT toInteger($limit)
  WITH event.entityId AS entityId, max(event.revision) AS newest
  MATCH (event:Unsequenced {entityId: entityId})
  WHERE event.revision <= newest
  RETURN event.id AS id, entityId, event.revision AS revision, event.timestamp AS timestamp
}
RETURN last, id, entityId, revision, timestamp
