// Lists some of the edges that one source currently asserts into records of some kinds: a record itself or records below it.
UNWIND $entityTypes AS entityType
MATCH (to:Entity)
USING INDEX SEEK to:Entity(entityType, fullyQualifiedName)
WHERE to.entityType = entityType AND to.fullyQualifiedName STARTS WITH $scope
  AND (to.fullyQualifiedName = $scope OR to.fullyQualifiedName STARTS WITH $below)
MATCH (from:Entity)-[edge:FEEDS]->(to)
WHERE EXISTS {
  MATCH (said:Assertion {edgeId: edge.id})
  WHERE said.source = $source AND said.until IS NULL
}
RETURN from.id AS from, to.id AS to
LIMIT toInteger($limit)
