// Lists the records directly downstream of some records along edges without column mappings.
MATCH (near:Entity)-[edge:FEEDS]->(far:Entity)
WHERE near.id IN $ids AND NOT far.deleted AND edge.detailsJson CONTAINS '"mappings":[]'
WITH near, far
LIMIT toInteger($limit)
WITH collect([near.id, far.id]) AS hops, collect(DISTINCT far) AS reached
RETURN hops,
  [n IN reached | n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes
