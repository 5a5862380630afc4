// Lists the valid personal tokens of a person in order of creation.
MATCH (:Entity {id: $userId})-[:HAS_TOKEN]->(token {tokenType: 'PERSONAL_ACCESS'})
WHERE token.expiresAt > $now
RETURN token.id AS id, token.name AS name, token.expiresAt AS expiresAt
ORDER BY token.createdAt, token.id
