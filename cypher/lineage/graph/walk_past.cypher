// Returns the edges of an upstream or downstream walk at a given time, nearest first, up to a limit, with their
// assertions at that time.
UNWIND $ids AS id
MATCH (start:Entity {id: id})
MATCH path = (start)${IN}-[:FEEDS|FED_UNTIL*0..${DEPTH}]-${OUT}(near:Entity)
WHERE all(passed IN relationships(path) WHERE passed.since <= $at AND coalesce(passed.until, $at + 1) > $at)
WITH DISTINCT near
LIMIT toInteger($nodes)
MATCH (near)${IN}-[edge:FEEDS|FED_UNTIL]-${OUT}(far:Entity)
WHERE edge.since <= $at AND coalesce(edge.until, $at + 1) > $at
WITH near, edge, far
LIMIT toInteger($edges)
RETURN
  ${FROM}.id AS from,
  ${TO}.id AS to,
  far{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node,
  COLLECT {
    MATCH (said:Assertion {edgeId: edge.id})
    WHERE said.since <= $at AND coalesce(said.until, $at + 1) > $at
    RETURN said{.id, .source, .sourceName, .since, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .pipelineId, .contentJson}
  } AS assertions
