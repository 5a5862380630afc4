// Records the last use of tokens and sessions and returns which were used for the first time. Tokens revoked meanwhile
// stay unchanged.
UNWIND $rows AS row
MERGE (use:TokenUse {key: row.key})
ON CREATE SET use:Expiring, use.id = row.id, use.userId = row.userId, use.type = row.type, use.issuedAt = row.issuedAt,
  use.firstUsedAt = row.usedAt, use.lastUsedAt = 0
WITH row, use, use.lastUsedAt = 0 AS isFirst
SET use.expiresAt = row.expiresAt,
  use.lastUsedAt = CASE WHEN row.usedAt > use.lastUsedAt THEN row.usedAt ELSE use.lastUsedAt END
RETURN row.at AS at, isFirst AS isFirst
