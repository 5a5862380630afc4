// Counts the listed tokens and sessions of a user.
MATCH (user:Entity {id: $userId})
RETURN
  COUNT { (user)-[:HAS_TOKEN]->(token) WHERE token.expiresAt IS NULL OR token.expiresAt > $now }
    + COUNT { (use:TokenUse {userId: user.id}) WHERE use.type IN ['OM_USER', 'PROVIDER'] AND use.expiresAt > $now } AS tokens,
  COUNT { (user)-[:HAS_SESSION]->(session) WHERE session.expiresAt > $now } AS sessions
