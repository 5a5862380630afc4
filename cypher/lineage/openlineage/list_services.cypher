// Lists the services of some kinds with their connections, in which only secrets are encrypted.
UNWIND $types AS type
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = type AND n.deleted = false AND n.sortKey >= ''
RETURN type AS entityType, n.fullyQualifiedName AS fqn, n.serviceType AS serviceType, n.connection AS connection
ORDER BY fqn
