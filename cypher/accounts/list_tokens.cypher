// Lists the tokens of a user, newest first: stored tokens, and used tokens that are not stored.
MATCH (user:Entity {id: $userId})
CALL (user) {
  MATCH (user)-[:HAS_TOKEN]->(token)
  WHERE token.expiresAt IS NULL OR token.expiresAt > $now
  OPTIONAL MATCH (use:TokenUse {key: 'token ' + token.digest})
  RETURN token.id AS id, coalesce(token.name, '') AS name, token.tokenType AS type, coalesce(token.createdAt, 0) AS createdAt,
    token.expiresAt AS expiresAt, use.lastUsedAt AS lastUsedAt, null AS revokedAt
  UNION ALL
  MATCH (use:TokenUse {userId: user.id})
  WHERE use.type IN ['OM_USER', 'PROVIDER'] AND use.expiresAt > $now
  RETURN use.id AS id, '' AS name, use.type AS type, use.issuedAt AS createdAt, use.expiresAt AS expiresAt,
    use.lastUsedAt AS lastUsedAt,
    CASE WHEN use.revokedAt IS NULL AND use.issuedAt <= user.tokensVoidBefore THEN user.tokensVoidBefore
      ELSE use.revokedAt END AS revokedAt
}
WITH id, name, type, createdAt, expiresAt, lastUsedAt, revokedAt
WHERE $afterId IS NULL OR createdAt < $afterTime OR (createdAt = $afterTime AND id > $afterId)
RETURN id, name, type, createdAt, expiresAt, lastUsedAt, revokedAt
ORDER BY createdAt DESC, id
LIMIT toInteger($limit)
