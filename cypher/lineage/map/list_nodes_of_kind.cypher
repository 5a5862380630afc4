// Lists the records of one kind ordered by name.
MATCH (n:${LABEL})
WHERE n.fullyQualifiedName >= '' AND ($includeDeleted OR NOT n.deleted)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
ORDER BY n.fullyQualifiedName
LIMIT toInteger($limit)
