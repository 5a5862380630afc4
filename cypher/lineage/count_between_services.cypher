// Counts the edges between records by where these are: their kinds, and the first parts of their names. Edges within one
// service count only where they run through something that may be elsewhere. Records of which it is not known whether
// they count are told.
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
