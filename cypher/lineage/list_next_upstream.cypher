// Lists the records that feed some records.
MATCH (near:Entity)<-[:FEEDS]-(far:Entity)
WHERE near.id IN $ids AND NOT far.deleted
WITH near, far
LIMIT toInteger($limit)
RETURN
  far.id AS from,
  near.id AS to,
  far{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
