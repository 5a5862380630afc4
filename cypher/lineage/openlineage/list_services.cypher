// Lists the services of some kinds with their connections, in which only secrets are encrypted.
UNWIND $types AS type
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = type AND n.deleted = false AND n.sortKey >= ''
RETURN n.serviceType AS serviceType, n.connectionJson AS connection,
  n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
ORDER BY n.fullyQualifiedName
