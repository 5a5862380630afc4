// Records the use of a token and returns whether it was the first use.
MERGE (token:SeenToken {digest: $digest})
ON CREATE SET token:Expiring, token.firstUsedAt = $now, token.expiresAt = $expiresAt, token.seenBy = $seenBy
RETURN token.seenBy = $seenBy AS isFirst
