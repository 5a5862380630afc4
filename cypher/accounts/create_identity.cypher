// Links a person to an identity at a provider, unless they have another one there or somebody else has this one.
MATCH (user:Entity {id: $userId})
SET user.entityType = user.entityType
WITH user
WHERE NOT user.deleted AND NOT EXISTS {
  MATCH (user)-[:HAS_IDENTITY]->(other:LinkedIdentity {issuer: $issuer})
  WHERE other.key <> $key
}
MERGE (identity:LinkedIdentity {key: $key})
ON CREATE SET identity.issuer = $issuer, identity.subject = $subject, identity.linkedAt = $now
WITH user, identity
WHERE NOT EXISTS {
  MATCH (identity)<-[:HAS_IDENTITY]-(holder)
  WHERE holder.id <> user.id
}
MERGE (user)-[:HAS_IDENTITY]->(identity)
RETURN user.id AS id
