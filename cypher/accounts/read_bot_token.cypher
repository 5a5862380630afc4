// Returns the sealed token of a bot.
MATCH (:Entity {id: $userId})-[:HAS_TOKEN]->(token {tokenType: 'BOT'})
RETURN token.sealed AS sealed, token.expiry AS expiry, token.expiresAt AS expiresAt
