// Lists the edges from records of some kinds in a scope, with the time of their last confirmation.
UNWIND $entityTypes AS entityType
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND NOT n.deleted
MATCH (n)-[edge:FEEDS]->(to:Entity)
WHERE NOT to.deleted
WITH n, edge, to
LIMIT toInteger($limit)
RETURN
  n{.id, .entityType} AS from,
  to{.id, .entityType} AS to,
  edge.seenAt AS seenAt
