// Lists the edges that one source currently asserts into records of one kind: a record itself or records below it.
MATCH (to:${LABEL})
WHERE to.fullyQualifiedName STARTS WITH $scope
  AND (to.fullyQualifiedName = $scope OR to.fullyQualifiedName STARTS WITH $below)
MATCH (from:Entity)-[edge:FEEDS]->(to)
WHERE EXISTS {
  MATCH (said:Assertion {edgeId: edge.id})
  WHERE said.source = $source AND said.until IS NULL
}
RETURN from.id AS from, to.id AS to
