// Counts the edges that leave, enter or run through records in some services, grouped by kind and first name part of
// both ends. Edges within one service count only if they run through a pipeline, which may be in another service. The
// rows contain the records whose visibility the caller must judge.
MATCH (service:Entity)
WHERE service.id IN $ids
CALL (service) {
  MATCH (service)-[:CONTAINS*1..50]->(:Entity)-[edge:FEEDS]-(:Entity)
  RETURN edge
  UNION
  MATCH (service)-[:CONTAINS*1..50]->(carrier:Entity)
  WHERE carrier.entityType IN $carrierTypes
  MATCH ()-[edge:FEEDS]->()
  USING INDEX edge:FEEDS(pipelineId)
  WHERE edge.pipelineId = carrier.id
  RETURN edge
}
WITH DISTINCT edge, startNode(edge) AS from, endNode(edge) AS to
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
