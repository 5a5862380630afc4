// Lists the edges that join some columns, with all current and past assertions and which of the columns they join at
// which end.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (part:Entity {id: key})
WITH key, coalesce(column, part) AS end
MATCH (end)-[pair:DERIVES]-()
WITH pair.edgeId AS edgeId, collect(DISTINCT [key, startNode(pair) = end]) AS joined
MATCH (first:Assertion {edgeId: edgeId})
WITH edgeId, joined, first.fromId AS fromId, first.toId AS toId, collect(first) AS said
MATCH (:Entity {id: fromId})-[edge:FEEDS]->(:Entity {id: toId})
WHERE edge.id = edgeId
RETURN fromId, toId, joined, edge{.id, .since, .revision} AS edge,
  [one IN said | one{.id, .source, .sourceName, .since, .until, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .seenAt, .pipelineId, .contentJson}] AS assertions
