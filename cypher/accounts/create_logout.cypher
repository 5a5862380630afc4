// Records the logout of a token for as long as the token would be valid.
MERGE (out:LoggedOut {digest: $digest})
SET out:Expiring, out.expiresAt = $expiresAt
RETURN out.digest AS digest
