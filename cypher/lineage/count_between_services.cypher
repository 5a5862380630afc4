// Counts the edges between records, grouped by kind and first name part of both ends. Edges within one service count
// only if they run through a pipeline, which may be in another service. The rows contain the records whose visibility
// the caller must judge.
MATCH ()-[edge:FEEDS]->()
// Only the edges are gone through: looked at by their ends, all records might be.
WITH edge, startNode(edge) AS from, endNode(edge) AS to
WHERE (edge.pipelineId IS NOT NULL OR from.scope1 <> to.scope1 OR from.entityType <> to.entityType)
  AND ($includeDeleted OR NOT (from.deleted OR to.deleted))
  AND NOT (from.entityType IN $hiddenTypes OR to.entityType IN $hiddenTypes)
WITH
  from.entityType AS fromType,
  from.scope1 AS fromScope,
  to.entityType AS toType,
  to.scope1 AS toScope,
  edge.pipelineId AS pipelineId,
  [n IN [from, to] WHERE n.entityType IN $judgedTypes | [n.id, n.entityType]] AS judged
RETURN fromType, fromScope, toType, toScope, pipelineId, judged, count(*) AS edges
LIMIT toInteger($limit)
