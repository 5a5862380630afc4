// Revokes one token of a user: one that is kept goes, and one without a record here is refused until it ends. A bot loses
// the wish for a new one with the one it has.
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
