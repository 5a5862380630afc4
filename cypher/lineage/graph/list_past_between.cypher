// Lists the edges from some records to others at a given time, with their assertions at that time.
MATCH (from:Entity)-[edge:FEEDS|FED_UNTIL]->(to:Entity)
WHERE from.id IN $near AND to.id IN $ids AND edge.since <= $at AND coalesce(edge.until, $at + 1) > $at
WITH from, edge, to
LIMIT toInteger($limit)
RETURN
  from.id AS from,
  to.id AS to,
  COLLECT {
    MATCH (said:Assertion {edgeId: edge.id})
    WHERE said.since <= $at AND coalesce(said.until, $at + 1) > $at
    RETURN said{.id, .source, .sourceName, .since, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .pipelineId, .contentJson}
  } AS assertions
