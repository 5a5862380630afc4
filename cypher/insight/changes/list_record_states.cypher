// Lists the states that some records got in a time window, newest first. A renamed ancestor changes the time of a record but
// not its state, and states of an older program have their change in their text only.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.doomed IS NULL
CALL (n) {
  WITH n, coalesce(n.changedAt, n.updatedAt) AS at
  WHERE at >= $from AND at <= $to
  RETURN at, n.version AS version, n.updatedBy AS by, n.changeDescriptionJson AS changeJson, null AS json
  UNION ALL
  MATCH (n)-[:HAS_VERSION]->(state:Version)
  WITH state, coalesce(state.changedAt, state.at) AS at
  WHERE at >= $from AND at <= $to
  RETURN at, state.version AS version, state.by AS by, state.changeJson AS changeJson,
    CASE WHEN state.by IS NULL THEN state.json END AS json
}
WITH n, at, version, by, changeJson, json ORDER BY at DESC
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node,
  CASE WHEN n.entityType IN ['testCase', 'testSuite', 'dataContract'] THEN head([(about:Entity)-[:CONTAINS|HAS_CONTRACT]->(n) | about{.id, .entityType}]) END AS about,
  at, version, by, changeJson, json
