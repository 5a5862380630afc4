// Lists the former states that records in a scope got in a time window, newest first. States of an older program have their
// change in their text only.
UNWIND $entityTypes AS entityType
CALL (entityType) {
  MATCH (state:Version)
  USING INDEX SEEK state:Version(entityType, at, entityId, version)
  WHERE state.entityType = entityType AND state.at >= $from AND state.at <= $to AND state.entityId > '' AND state.version > 0
    AND coalesce(state.changedAt, $from) >= $from
  MATCH (n:Entity {id: state.entityId})
  WHERE n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.']) AND n.doomed IS NULL
  WITH n, state ORDER BY state.entityType DESC, state.at DESC, state.entityId DESC, state.version DESC
  LIMIT toInteger($limit)
  RETURN n, state
}
WITH n, state ORDER BY state.at DESC
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node,
  CASE WHEN n.entityType IN ['testCase', 'testSuite', 'dataContract'] THEN head([(about:Entity)-[:CONTAINS|HAS_CONTRACT]->(n) | about{.id, .entityType}]) END AS about,
  coalesce(state.changedAt, state.at) AS at, state.version AS version, state.by AS by,
  state.changeJson AS changeJson, CASE WHEN state.by IS NULL THEN state.json END AS json
