// Lists what sources state of edges at a given time: who, since when, through which pipeline, and when last.
UNWIND $pairs AS pair
MATCH (from:Entity {id: pair[0]})
MATCH (to:Entity {id: pair[1]})
MATCH (from)-[edge:FEEDS|FED_UNTIL]->(to)
WHERE edge.since <= $at AND coalesce(edge.until, $at + 1) > $at
MATCH (said:Assertion {edgeId: edge.id})
WHERE said.since <= $at AND coalesce(said.until, $at + 1) > $at
WITH pair, said
ORDER BY said.order DESC
RETURN
  pair[0] AS from,
  pair[1] AS to,
  collect(said{.source, .sourceName, .pipelineId, .createdAt, .createdBy, .updatedAt, .updatedBy, .seenAt}) AS assertions
