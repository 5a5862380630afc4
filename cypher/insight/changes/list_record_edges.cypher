// Lists the edges of some records of which sources began or ceased to state something in a time window, with what they stated
// then, up to a limit.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[edge:FEEDS|FED_UNTIL]-(:Entity)
WITH DISTINCT edge.id AS edgeId, startNode(edge) AS from, endNode(edge) AS to
WHERE from.doomed IS NULL AND to.doomed IS NULL AND EXISTS {
  MATCH (said:Assertion {edgeId: edgeId})
  WHERE (said.since >= $from AND said.since <= $to) OR (said.until >= $from AND said.until <= $to)
}
WITH edgeId, from, to
LIMIT toInteger($limit)
RETURN edgeId, false AS isCut, from{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS from, to{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS to, COLLECT {
  MATCH (said:Assertion {edgeId: edgeId})
  WHERE said.since <= $to AND coalesce(said.until, $from) >= $from
  RETURN said{.id, .source, .sourceName, .since, .until, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .pipelineId, .contentJson}
} AS assertions
