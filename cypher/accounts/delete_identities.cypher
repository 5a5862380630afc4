// Unlinks a user from all identities at providers, ends the sessions that providers began, and returns those.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
CALL (user) {
  MATCH (user)-[:HAS_IDENTITY]->(identity)
  DETACH DELETE identity
}
MATCH (user)-[:HAS_SESSION]->(session:Session)
WHERE session.credential STARTS WITH $credentialPrefix
WITH session, session.id AS id
DETACH DELETE session
RETURN id AS id
