// Begins a session of a person, if their password is still the one they gave; of very many the oldest end.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
WHERE NOT user.deleted AND $credential IN [coalesce(user.password, ''), coalesce($configured, '')]
SET user.lastLoginTime = $now, user.lastActivityTime = $now
MERGE (session:Session {id: $id})
SET session:Expiring, session.refreshDigest = $refreshDigest, session.credential = $credential,
  session.createdAt = $now,
  session.expiresAt = $expiresAt
MERGE (user)-[:HAS_SESSION]->(session)
WITH user, COLLECT {
  MATCH (user)-[:HAS_SESSION]->(old)
  RETURN old ORDER BY old.expiresAt DESC SKIP toInteger($most)
} AS oldest
FOREACH (old IN oldest | DETACH DELETE old)
RETURN user.id AS id
