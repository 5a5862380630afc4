// Counts the edges between records by the places that tell their domains: the records themselves where they have some of
// their own, otherwise what contains them. Records of which it is not known whether they count are told.
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
