// Deletes personal tokens of one person by ids or digests; returns the digests of the deleted tokens.
MATCH (:Entity {id: $userId})-[:HAS_TOKEN]->(token {tokenType: 'PERSONAL_ACCESS'})
WHERE token.id IN $ids OR token.digest IN $ids
WITH token, token.digest AS digest
DETACH DELETE token
RETURN digest AS digest
