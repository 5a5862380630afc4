// Lists the records of one kind ordered by name.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName >= '' AND ($includeDeleted OR NOT n.deleted)
WITH n ORDER BY n.entityType, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
