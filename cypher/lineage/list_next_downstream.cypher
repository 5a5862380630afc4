// Lists the records that some records feed.
MATCH (near:Entity)-[:FEEDS]->(far:Entity)
WHERE near.id IN $ids AND NOT far.deleted
WITH near, far
LIMIT toInteger($limit)
RETURN
  near.id AS from,
  far.id AS to,
  far{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
