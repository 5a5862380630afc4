// Replaces the refresh token of a session by the next one. A token that was replaced before is a stolen or reused copy,
// so the session ends, unless it was replaced a moment ago. It also ends when its person is gone or when what it began
// with counts no longer.
MATCH (user:User)-[:HAS_SESSION]->(session:Session {id: $id})
SET session.id = session.id
WITH user, session,
  session.expiresAt > $now
    AND NOT user.deleted
    AND session.credential IN $configured + [coalesce(user.password, '')] AS isValid,
  // The second is what this statement finds when the answer to its first run was lost.
  session.refreshDigest IN [$digest, $nextDigest] AS isLatest,
  coalesce($leewayMs > 0 AND session.previousDigest = $digest AND session.renewedAt > $now - $leewayMs, false) AS wasLatest
WITH user, session,
  isValid AND (isLatest OR wasLatest) AS isRenewed,
  isValid AND NOT isLatest AND wasLatest AS isRepeated,
  session.expiresAt > $now AND NOT isLatest AND NOT wasLatest AS isReused
FOREACH (_ IN CASE WHEN isRenewed AND NOT isRepeated THEN [1] ELSE [] END |
  SET session.refreshDigest = $nextDigest, session.expiresAt = $expiresAt, session.previousDigest = $digest,
    session.renewedAt = $now
)
FOREACH (_ IN CASE WHEN isRenewed THEN [] ELSE [1] END | DETACH DELETE session)
RETURN isRenewed AS isRenewed, isRepeated AS isRepeated, isReused AS isReused, user.name AS name, user.email AS email
