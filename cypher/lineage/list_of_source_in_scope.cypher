// Lists the edges into records of one kind, a record or what lies below it, of which one source says something now.
MATCH (to:${LABEL})
WHERE to.fullyQualifiedName STARTS WITH $scope
  AND (to.fullyQualifiedName = $scope OR to.fullyQualifiedName STARTS WITH $below)
MATCH (from:Entity)-[edge:FEEDS]->(to)
WHERE EXISTS {
  MATCH (said:Assertion {edgeId: edge.id})
  WHERE said.source = $source AND said.until IS NULL
}
RETURN from.id AS from, to.id AS to
