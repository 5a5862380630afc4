// Lists the records of some kinds, of each up to a limit in the order of their names.
UNWIND $entityTypes AS entityType
CALL (entityType) {
  MATCH (n:Entity)
  USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
  WHERE n.entityType = entityType AND n.fullyQualifiedName >= '' AND ($includeDeleted OR NOT n.deleted)
  WITH n ORDER BY n.entityType, n.fullyQualifiedName
  LIMIT toInteger($limit)
  RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
}
WITH entityType, collect(node) AS nodes
RETURN nodes
