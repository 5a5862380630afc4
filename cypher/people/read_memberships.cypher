// Returns the direct teams, assigned roles and domains of people, the identities at providers that they are linked to,
// and the time before which their issued tokens are revoked.
UNWIND $rows AS row
MATCH (n:User {fullyQualifiedName: row.fqn})
RETURN row.at AS at,
  [(n)<-[:HAS_MEMBER]-(t:Team) | t.id] AS teamIds,
  [(n)-[:HAS_ROLE]->(r:Role) | r.id] AS roleIds,
  [(n)-[:IN_DOMAIN]->(d:Domain) | d.id] AS domainIds,
  [(n)-[:HAS_IDENTITY]->(i:LinkedIdentity) | {issuer: i.issuer, subject: i.subject}] AS identities,
  n.tokensVoidBefore AS tokensVoidBefore
