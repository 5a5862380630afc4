// Revokes all tokens of a user that were issued until now, including those that are not stored.
MATCH (user:Entity {id: $userId})
SET user.tokensVoidBefore = $now
FOREACH (_ IN CASE WHEN user.isBot THEN [1] ELSE [] END | REMOVE user.authenticationMechanismJson)
WITH user, COLLECT { MATCH (user)-[:HAS_TOKEN]->(token) RETURN token } AS tokens
WITH tokens, [token IN tokens | token.digest] AS digests
FOREACH (token IN tokens | DETACH DELETE token)
RETURN digests AS digests
