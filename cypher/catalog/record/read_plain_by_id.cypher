// Returns records by id, without the relations that `catalog/record/read` adds.
UNWIND $rows AS row
MATCH (n:Entity {id: row.key})
WHERE n.entityType = row.entityType
WITH row, n, n.revision AS revision
RETURN
  row.at AS at,
  n{.*, revision: revision} AS node,
  [(n)<-[:CONTAINS*1..50]-(a:Entity) |
    a{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  ] AS ancestors
