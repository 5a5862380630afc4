// Keeps in mind, for as long as it would count, that a token was logged out.
MERGE (out:LoggedOut {digest: $digest})
SET out:Expiring, out.expiresAt = $expiresAt
RETURN out.digest AS digest
