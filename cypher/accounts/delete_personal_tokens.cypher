// Takes personal tokens of one person away, by their ids or digests; answers the digests of what there was.
MATCH (:Entity {id: $userId})-[:HAS_TOKEN]->(token {tokenType: 'PERSONAL_ACCESS'})
WHERE token.id IN $ids OR token.digest IN $ids
WITH token, token.digest AS digest
DETACH DELETE token
RETURN digest AS digest
