// Answers the former states of a record, newest first.
MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(state:Version)
WITH state ORDER BY state.version DESC
RETURN state.version AS version, state.json AS json
