// Replaces the refresh token of a session by the next one. A token that was replaced before is a stolen or reused copy,
// so the session ends. It also ends when its person is gone or their password has changed.
MATCH (user:User)-[:HAS_SESSION]->(session:Session {id: $id})
SET session.id = session.id
WITH user, session,
  CASE
    WHEN session.expiresAt <= $now OR user.deleted THEN false
    WHEN NOT session.credential IN [coalesce(user.password, ''), coalesce($configured, '')] THEN false
    // The second is what this statement finds when the answer to its first run was lost.
    ELSE session.refreshDigest IN [$digest, $nextDigest]
  END AS isRenewed,
  session.expiresAt > $now AND NOT session.refreshDigest IN [$digest, $nextDigest] AS isReused
FOREACH (_ IN CASE WHEN isRenewed THEN [1] ELSE [] END |
  SET session.refreshDigest = $nextDigest, session.expiresAt = $expiresAt
)
FOREACH (_ IN CASE WHEN isRenewed THEN [] ELSE [1] END | DETACH DELETE session)
RETURN isRenewed AS isRenewed, isReused AS isReused, user.name AS name, user.email AS email
