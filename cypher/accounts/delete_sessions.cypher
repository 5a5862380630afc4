// Deletes one session of a user by id, or all of them.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
MATCH (user)-[:HAS_SESSION]->(session:Session)
WHERE $id IS NULL OR session.id = $id
WITH session, session.id AS id
DETACH DELETE session
RETURN id AS id
