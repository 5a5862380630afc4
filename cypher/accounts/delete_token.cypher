// Revokes one token of a user: a stored token is deleted, and one that is not stored is refused until it expires. A bot
// also loses its pending token request.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
CALL (user) {
  MATCH (user)-[:HAS_TOKEN]->(token {id: $id})
  FOREACH (_ IN CASE WHEN token.tokenType = 'BOT' THEN [1] ELSE [] END | REMOVE user.authenticationMechanismJson)
  WITH token, token.digest AS digest
  DETACH DELETE token
  RETURN digest
  UNION ALL
  MATCH (use:TokenUse {userId: user.id, id: $id})
  WHERE use.type IN ['OM_USER', 'PROVIDER']
  SET use.revokedAt = coalesce(use.revokedAt, $now)
  WITH substring(use.key, 6) AS digest, use.expiresAt AS expiresAt
  MERGE (out:LoggedOut {digest: digest})
  SET out:Expiring, out.expiresAt = expiresAt + $keptBeyond
  RETURN digest
}
RETURN digest AS digest
