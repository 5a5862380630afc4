// Answers one former state of a record.
MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(state:Version)
WHERE state.version = $version
RETURN state.version AS version, state.json AS json
