// Creates a session if the credential that it began with still counts; the oldest sessions end when there are too many.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
WHERE NOT user.deleted AND $credential IN $configured + [coalesce(user.password, '')]
SET user.lastLoginTime = $now, user.lastActivityTime = $now, user.revision = user.revision + 1
MERGE (mark:Dirty {entityId: user.id})
SET mark.revision = user.revision, mark.entityType = user.entityType, mark.isStale = true
MERGE (session:Session {id: $id})
SET session:Expiring, session.refreshDigest = $refreshDigest, session.credential = $credential,
  session.createdAt = $now,
  session.expiresAt = $expiresAt, session.providerSubject = $providerSubject,
  session.providerSession = $providerSession
MERGE (user)-[:HAS_SESSION]->(session)
WITH user, COLLECT {
  MATCH (user)-[:HAS_SESSION]->(old)
  RETURN old ORDER BY old.expiresAt DESC SKIP toInteger($most)
} AS oldest
FOREACH (old IN oldest | DETACH DELETE old)
RETURN user.id AS id
