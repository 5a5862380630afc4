// Lists the records directly upstream or downstream of some records along edges without column mappings.
MATCH (near:Entity)${IN}-[edge:FEEDS]-${OUT}(far:Entity)
WHERE near.id IN $ids AND NOT far.deleted AND edge.detailsJson CONTAINS '"mappings":[]'
WITH near, far
LIMIT toInteger($limit)
WITH collect([${FROM}.id, ${TO}.id]) AS hops, collect(DISTINCT far) AS reached
RETURN hops,
  [n IN reached | n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes
