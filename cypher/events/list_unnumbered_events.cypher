// Lists some of the oldest events without a number, and the earlier unnumbered events of the same records. The counter
// is read first, because a process that numbers events in the meantime changes it. The second match begins after the
// first is complete, so it sees everything that was written before for these records.
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
