// Lists all policies with their rules.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = 'policy' AND n.deleted = false AND n.sortKey > ''
RETURN n.id AS id, n.name AS name, n.fullyQualifiedName AS fullyQualifiedName, n.rulesJson AS rulesJson,
  coalesce(n.enabled, true) AND NOT coalesce(n.disabled, false) AS enabled
