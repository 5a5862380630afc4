// Lists the outcomes of tests or contracts in a scope in a time window, newest first, with the one before them, of those
// whose outcome changed. Only conclusive results count.
MATCH (result:${RESULT})
USING INDEX SEEK result:${RESULT}(timestamp, ${OWNER}, status)
WHERE result.timestamp >= $from AND result.timestamp <= $to AND result.${OWNER} > '' AND result.status > ''
WITH result.timestamp AS at, result.${OWNER} AS id, result.status AS status ORDER BY at DESC
LIMIT toInteger($limit)
WITH collect({at: at, id: id, status: status}) AS read
UNWIND read AS run
WITH run, size(read) >= $limit AS isCut
WHERE run.status IN $statuses
WITH run.id AS id, isCut, collect(run) AS runs, min(run.at) AS first
WITH id, isCut, runs, head(COLLECT {
  MATCH (earlier:${RESULT})
  USING INDEX SEEK earlier:${RESULT}(${OWNER}, timestamp)
  WHERE earlier.${OWNER} = id AND earlier.timestamp < first AND earlier.status IN $statuses
  WITH earlier ORDER BY earlier.${OWNER} DESC, earlier.timestamp DESC
  LIMIT 1
  RETURN earlier.status
}) AS before
WHERE before IS NULL OR any(run IN runs WHERE run.status <> before)
MATCH (owner:Entity {id: id})
WHERE owner.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(owner.fullyQualifiedName, size($scope), 1) IN ['', '.']) AND owner.doomed IS NULL
RETURN isCut, owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node, [run IN runs | [run.at, run.status]] AS runs, before,
  owner.columnName AS columnName, head([(subject:Entity)-[:CONTAINS|HAS_CONTRACT]->(owner) | subject{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}]) AS subject
