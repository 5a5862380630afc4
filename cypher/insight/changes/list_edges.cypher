// Lists the edges of which sources began or ceased to state something in a time window, newest first, with what they stated
// then. Of a whole catalog all of them count, else those with an end in the scope.
CALL () {
  MATCH (said:Assertion)
  WHERE said.since >= $from AND said.since <= $to
  WITH said ORDER BY said.since DESC
  LIMIT toInteger($limit)
  RETURN collect(said) AS begun
}
CALL () {
  MATCH (said:Assertion)
  WHERE said.until >= $from AND said.until <= $to
  WITH said ORDER BY said.until DESC
  LIMIT toInteger($limit)
  RETURN collect(said) AS ended
}
WITH begun + ended AS touched, size(begun) >= $limit OR size(ended) >= $limit AS isCut
UNWIND touched AS one
WITH DISTINCT one.edgeId AS edgeId, one.fromId AS fromId, one.toId AS toId, isCut
MATCH (from:Entity {id: fromId})
MATCH (to:Entity {id: toId})
WHERE from.doomed IS NULL AND to.doomed IS NULL
  AND (from.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(from.fullyQualifiedName, size($scope), 1) IN ['', '.'])
    OR to.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(to.fullyQualifiedName, size($scope), 1) IN ['', '.']))
RETURN edgeId, isCut, from{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS from, to{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS to, COLLECT {
  MATCH (said:Assertion {edgeId: edgeId})
  WHERE said.since <= $to AND coalesce(said.until, $from) >= $from
  RETURN said{.id, .source, .sourceName, .since, .until, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .pipelineId, .contentJson}
} AS assertions
