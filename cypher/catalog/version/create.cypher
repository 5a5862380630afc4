// Keeps the state that a change leaves behind. It says whose it is, so that the history of a kind is read by time alone.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
CREATE (n)-[:HAS_VERSION]->(state:Version)
SET state = row.state, state.entityId = n.id, state.entityType = n.entityType, state.changedAt = n.changedAt
REMOVE n.changedAt
RETURN row.at AS at
