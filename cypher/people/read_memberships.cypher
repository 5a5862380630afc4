// Answers where people belong: the teams right above them, the roles given to them, and their domains. Beside them,
// the moment until which tokens count no longer that were issued to them.
UNWIND $rows AS row
MATCH (n:User {fullyQualifiedName: row.fqn})
RETURN row.at AS at,
  [(n)<-[:HAS_MEMBER]-(t:Team) | t.id] AS teamIds,
  [(n)-[:HAS_ROLE]->(r:Role) | r.id] AS roleIds,
  [(n)-[:IN_DOMAIN]->(d:Domain) | d.id] AS domainIds,
  n.tokensVoidBefore AS tokensVoidBefore
