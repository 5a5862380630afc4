// Stores a personal token unless the person has reached the maximum number.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
WHERE NOT user.deleted AND COUNT {
  (user)-[:HAS_TOKEN]->(other {tokenType: 'PERSONAL_ACCESS'})
  WHERE other.expiresAt > $now AND other.digest <> $digest
} < $most
MERGE (token:IssuedToken {digest: $digest})
SET token:Expiring, token.id = $id, token.tokenType = 'PERSONAL_ACCESS', token.name = $name,
  token.createdAt = $now, token.expiresAt = $expiresAt
MERGE (user)-[:HAS_TOKEN]->(token)
RETURN token.id AS id
