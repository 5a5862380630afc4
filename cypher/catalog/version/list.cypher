// Answers some former states of a record below a version, newest first.
MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(state:Version)
WHERE state.version < $below
WITH state ORDER BY state.version DESC
SKIP toInteger($skip)
LIMIT toInteger($limit)
RETURN state.version AS version, state.json AS json
