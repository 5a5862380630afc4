// Lists the edges that a source asserted to run through a pipeline at a given time, with the records at both ends and
// the assertions at that time.
MATCH (one:Assertion {pipelineId: $id})
WHERE one.since <= $at AND coalesce(one.until, $at + 1) > $at
WITH DISTINCT one.edgeId AS edgeId, one.fromId AS fromId, one.toId AS toId
MATCH (from:Entity {id: fromId})-[edge:FEEDS|FED_UNTIL]->(to:Entity {id: toId})
WHERE edge.id = edgeId AND edge.since <= $at AND coalesce(edge.until, $at + 1) > $at
WITH from, edge, to
LIMIT toInteger($limit)
RETURN
  from.id AS from,
  to.id AS to,
  [n IN [from, to] | n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes,
  COLLECT {
    MATCH (said:Assertion {edgeId: edge.id})
    WHERE said.since <= $at AND coalesce(said.until, $at + 1) > $at
    RETURN said{.id, .source, .sourceName, .since, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .pipelineId, .contentJson}
  } AS assertions
