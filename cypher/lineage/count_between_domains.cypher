// Counts the edges between records, grouped by the records that determine the domains of both ends: the record itself
// if it has a domain, otherwise its parent. The rows contain the records whose visibility the caller must judge.
MATCH ()-[edge:FEEDS]->()
// Only the edges are gone through: looked at by their ends, all records might be.
WITH startNode(edge) AS from, endNode(edge) AS to
WHERE ($includeDeleted OR NOT (from.deleted OR to.deleted))
  AND NOT (from.entityType IN $hiddenTypes OR to.entityType IN $hiddenTypes)
WITH
  CASE WHEN EXISTS { (from)-[:IN_DOMAIN]->(:Entity) } THEN from.id ELSE head([(from)<-[:CONTAINS]-(p:Entity) | p.id]) END AS fromId,
  CASE WHEN EXISTS { (to)-[:IN_DOMAIN]->(:Entity) } THEN to.id ELSE head([(to)<-[:CONTAINS]-(p:Entity) | p.id]) END AS toId,
  [n IN [from, to] WHERE n.entityType IN $judgedTypes | [n.id, n.entityType]] AS judged
WHERE fromId IS NOT NULL AND toId IS NOT NULL
RETURN fromId, toId, judged, count(*) AS edges
LIMIT toInteger($limit)
