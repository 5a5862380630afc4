// Answers records by id or by name, without the relations that `record/read` adds.
UNWIND $rows AS row
OPTIONAL MATCH (byId:Entity {id: row.id})
OPTIONAL MATCH (byName:${LABEL} {fullyQualifiedName: row.fqn})
WITH row, coalesce(byId, byName) AS n
WHERE n:${LABEL}
RETURN
  row.at AS at,
  n{.*} AS node,
  [(n)<-[:CONTAINS*1..50]-(a:Entity) |
    a{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  ] AS ancestors
