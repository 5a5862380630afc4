// Lists the sessions of a user, the newest first.
MATCH (user:Entity {id: $userId})-[:HAS_SESSION]->(session:Session)
WHERE session.expiresAt > $now
OPTIONAL MATCH (use:TokenUse {key: 'session ' + session.id})
WITH session, use, coalesce(session.createdAt, 0) AS createdAt
WHERE $afterId IS NULL OR createdAt < $afterTime OR (createdAt = $afterTime AND session.id > $afterId)
RETURN session.id AS id, createdAt AS createdAt, session.expiresAt AS expiresAt, use.lastUsedAt AS lastUsedAt
ORDER BY createdAt DESC, session.id
LIMIT toInteger($limit)
