// Takes a logout token of a provider once, also when this statement runs again because its answer was lost.
MERGE (token:SeenToken {digest: $digest})
ON CREATE SET token:Expiring, token.firstUsedAt = $now, token.expiresAt = $expiresAt, token.seenBy = $seenBy
RETURN token.seenBy = $seenBy AS isFirst
