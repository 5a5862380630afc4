// Lists the living database services, up to a limit.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = 'databaseService' AND n.fullyQualifiedName >= '' AND NOT n.deleted
WITH n
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
