// Lists all roles with the ids of their policies.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = 'role' AND n.deleted = false AND n.sortKey > ''
RETURN n.id AS id, n.name AS name, n.fullyQualifiedName AS fullyQualifiedName,
  NOT coalesce(n.disabled, false) AS enabled,
  COLLECT { MATCH (n)-[:HAS_POLICY]->(p:Policy) RETURN p.id ORDER BY p.name } AS policyIds
