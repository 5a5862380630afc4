// States kept before they said whose they are say it now.
MATCH (n:Entity)-[:HAS_VERSION]->(state:Version)
WHERE state.entityType IS NULL
CALL (n, state) {
  SET state.entityId = n.id, state.entityType = n.entityType
} IN TRANSACTIONS OF 1000 ROWS
