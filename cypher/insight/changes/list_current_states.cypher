// Lists the present states that records in a scope got in a time window, newest first. A renamed ancestor changes the time
// of a record but not its state.
UNWIND $entityTypes AS entityType
CALL (entityType) {
  MATCH (n:Entity)
  USING INDEX SEEK n:Entity(entityType, updatedAt, id)
  WHERE n.entityType = entityType AND n.updatedAt >= $from AND n.updatedAt <= $to AND n.id > ''
    AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
    AND coalesce(n.changedAt, $from) >= $from AND n.doomed IS NULL
  WITH n ORDER BY n.entityType DESC, n.updatedAt DESC, n.id DESC
  LIMIT toInteger($limit)
  RETURN n
}
WITH n ORDER BY n.updatedAt DESC
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node,
  CASE WHEN n.entityType IN ['testCase', 'testSuite', 'dataContract'] THEN head([(about:Entity)-[:CONTAINS|HAS_CONTRACT]->(n) | about{.id, .entityType}]) END AS about,
  coalesce(n.changedAt, n.updatedAt) AS at, n.version AS version, n.updatedBy AS by,
  n.changeDescriptionJson AS changeJson, null AS json
