// Lists the records directly upstream of some records.
MATCH (near:Entity)<-[:FEEDS]-(far:Entity)
WHERE near.id IN $ids AND NOT far.deleted
WITH near, far
LIMIT toInteger($limit)
WITH collect([far.id, near.id]) AS hops, collect(DISTINCT far) AS reached
RETURN hops,
  [n IN reached | n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes
