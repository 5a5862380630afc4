// Turns staged nodes with all their columns into records, creates their change events, and marks them for the search
// index.
UNWIND $rows AS row
MATCH (n:Staged {stageId: row.stageId})
SET n.locked = true
WITH n, row
WHERE n:Staged AND n.pieces = row.pieces
REMOVE n:Staged
SET n:Entity:$([row.label, 'Live' + row.label])
SET n = row.properties
CREATE (:ChangeEvent:Unsequenced {
  id: row.event.id,
  eventType: row.event.eventType,
  entityType: row.event.entityType,
  entityId: row.event.entityId,
  userName: row.event.userName,
  timestamp: row.event.timestamp,
  json: row.event.json,
  copyId: row.event.copyId,
  ends: row.event.ends,
  traceparent: row.event.traceparent,
  revision: 1
})-[:ABOUT]->(n)
CREATE (:Dirty {entityId: row.event.entityId, entityType: row.event.entityType, revision: 1})
RETURN row.at AS at
