// Lists the identities at providers that a user is linked to.
MATCH (user:Entity {id: $userId})-[:HAS_IDENTITY]->(identity:LinkedIdentity)
RETURN identity.issuer AS issuer, identity.subject AS subject, identity.linkedAt AS linkedAt
ORDER BY linkedAt DESC, issuer
