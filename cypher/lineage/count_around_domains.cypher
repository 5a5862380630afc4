// Counts the edges from or to records that may belong to some domains, directly or through a parent. Each end is
// represented by the record that determines its domain: itself if it has a domain, otherwise its parent. The rows
// contain the records whose visibility the caller must judge.
MATCH (domain:Entity)<-[:IN_DOMAIN]-(holder:Entity)
WHERE domain.id IN $ids
WITH DISTINCT holder
MATCH (holder)-[:CONTAINS*0..50]->(:Entity)-[edge:FEEDS]-(:Entity)
WITH DISTINCT edge, startNode(edge) AS from, endNode(edge) AS to
WHERE ($includeDeleted OR NOT (from.deleted OR to.deleted))
  AND NOT (from.entityType IN $hiddenTypes OR to.entityType IN $hiddenTypes)
WITH
  CASE WHEN EXISTS { (from)-[:IN_DOMAIN]->(:Entity) } THEN from.id ELSE head([(from)<-[:CONTAINS]-(p:Entity) | p.id]) END AS fromId,
  CASE WHEN EXISTS { (to)-[:IN_DOMAIN]->(:Entity) } THEN to.id ELSE head([(to)<-[:CONTAINS]-(p:Entity) | p.id]) END AS toId,
  [n IN [from, to] WHERE n.entityType IN $judgedTypes | [n.id, n.entityType]] AS judged
WHERE fromId IS NOT NULL AND toId IS NOT NULL
RETURN fromId, toId, judged, count(*) AS edges
LIMIT toInteger($limit)
