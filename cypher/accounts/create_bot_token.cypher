// Stores a bot's only valid token, or does so only if it has none; returns the digests of the tokens it replaced.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
WHERE user.isBot AND NOT user.deleted
  AND ($replaces OR NOT EXISTS { (user)-[:HAS_TOKEN]->({tokenType: 'BOT'}) })
REMOVE user.authenticationMechanismJson
WITH user, COLLECT { MATCH (user)-[:HAS_TOKEN]->(token {tokenType: 'BOT'}) RETURN token } AS former
WITH user, former, [token IN former | token.digest] AS digests
FOREACH (token IN former | DETACH DELETE token)
MERGE (token:IssuedToken {digest: $digest})
SET token.id = $id, token.tokenType = 'BOT', token.sealed = $sealed, token.expiry = $expiry,
  token.createdAt = $now, token.expiresAt = $expiresAt
MERGE (user)-[:HAS_TOKEN]->(token)
RETURN digests AS digests
