// Keeps the state that a change leaves behind.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
CREATE (n)-[:HAS_VERSION]->(state:Version)
SET state = row.state
RETURN row.at AS at
