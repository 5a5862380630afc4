// Notes that a token was used, and answers whether nobody had used it before.
MERGE (token:SeenToken {digest: $digest})
ON CREATE SET token:Expiring, token.firstUsedAt = $now, token.expiresAt = $expiresAt, token.seenBy = $seenBy
RETURN token.seenBy = $seenBy AS isFirst
