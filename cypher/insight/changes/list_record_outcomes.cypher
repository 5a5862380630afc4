// Lists the outcomes of some tests or contracts in a time window, newest first, with the one before them, of those whose
// outcome changed. Only conclusive results count.
UNWIND $ids AS id
CALL (id) {
  MATCH (result:${RESULT})
  USING INDEX SEEK result:${RESULT}(${OWNER}, timestamp)
  WHERE result.${OWNER} = id AND result.timestamp >= $from AND result.timestamp <= $to AND result.status IN $statuses
  WITH result ORDER BY result.${OWNER} DESC, result.timestamp DESC
  LIMIT toInteger($limit)
  RETURN collect({at: result.timestamp, status: result.status}) AS runs
}
WITH id, runs, size(runs) >= $limit AS isCut, runs[-1].at AS first
WHERE size(runs) > 0
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
WHERE owner.doomed IS NULL
RETURN isCut, owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node, [run IN runs | [run.at, run.status]] AS runs, before,
  owner.columnName AS columnName, head([(subject:Entity)-[:CONTAINS|HAS_CONTRACT]->(owner) | subject{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}]) AS subject
