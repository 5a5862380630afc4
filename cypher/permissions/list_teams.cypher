// Lists all teams with the ids of their parent teams and of the roles, policies and domains that they pass on to
// members.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = 'team' AND n.deleted = false AND n.sortKey > ''
RETURN n.id AS id, n.fullyQualifiedName AS fullyQualifiedName,
  COLLECT { MATCH (n)<-[:PARENT_OF]-(p:Team) RETURN p.id ORDER BY p.name } AS parentIds,
  COLLECT { MATCH (n)-[:HAS_ROLE]->(r:Role) RETURN r.id ORDER BY r.name } AS roleIds,
  COLLECT { MATCH (n)-[:HAS_POLICY]->(p:Policy) RETURN p.id ORDER BY p.name } AS policyIds,
  COLLECT { MATCH (n)-[:IN_DOMAIN]->(d:Domain) RETURN d.id } AS domainIds
