// Deletes a bot's token and any pending token request; returns the digests of the deleted tokens.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
REMOVE user.authenticationMechanismJson
WITH user, COLLECT { MATCH (user)-[:HAS_TOKEN]->(token {tokenType: 'BOT'}) RETURN token } AS former
WITH user, former, [token IN former | token.digest] AS digests
FOREACH (token IN former | DETACH DELETE token)
RETURN digests AS digests
