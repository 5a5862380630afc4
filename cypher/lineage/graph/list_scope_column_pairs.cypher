// Lists the edges with column mappings into records of some kinds in a scope, with the column pairs they join.
UNWIND $entityTypes AS entityType
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND NOT n.deleted
MATCH (from:Entity)-[edge:FEEDS]->(n)
WHERE NOT from.deleted AND NOT edge.detailsJson CONTAINS '"mappings":[]'
WITH n, edge, from
LIMIT toInteger($limit)
RETURN
  from{.id, .entityType, .fullyQualifiedName} AS from,
  n{.id, .entityType, .fullyQualifiedName} AS to,
  edge.detailsJson AS detailsJson,
  COLLECT {
    MATCH (one)-[pair:DERIVES]->(other)
    WHERE pair.edgeId = edge.id
    RETURN [
      CASE WHEN one.key IS NULL THEN one.name ELSE one.fullyQualifiedName END,
      CASE WHEN other.key IS NULL THEN other.name ELSE other.fullyQualifiedName END
    ]
  } AS pairs
