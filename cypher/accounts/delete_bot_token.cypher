// Takes the token of a bot away, and the wish for one; answers the digests of what there was.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
REMOVE user.authenticationMechanismJson
WITH user, COLLECT { MATCH (user)-[:HAS_TOKEN]->(token {tokenType: 'BOT'}) RETURN token } AS former
WITH user, former, [token IN former | token.digest] AS digests
FOREACH (token IN former | DETACH DELETE token)
RETURN digests AS digests
