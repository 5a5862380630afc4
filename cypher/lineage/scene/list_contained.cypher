// Lists the records of one kind directly in a record.
MATCH (:Entity {id: $id})-[:CONTAINS]->(n:Entity)
WHERE n.entityType = $entityType AND ($includeDeleted OR NOT n.deleted)
WITH n
ORDER BY n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
