// Returns the person who is linked to an identity at a provider, with their login credentials.
MATCH (user:User)-[:HAS_IDENTITY]->(:LinkedIdentity {key: $key})
RETURN user.id AS id, user.name AS name, user.email AS email, user.isBot AS isBot, user.isAdmin AS isAdmin,
  user.deleted AS deleted, user.password AS credential
