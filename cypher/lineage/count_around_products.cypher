// Counts the edges between the assets of some data products and those of all other products, per pair of products. The
// rows contain the records whose visibility the caller must judge.
MATCH (product:Entity)-[:HAS_ASSET]->(:Entity)-[edge:FEEDS]-(:Entity)
WHERE product.id IN $ids
WITH DISTINCT edge, startNode(edge) AS from, endNode(edge) AS to
WHERE ($includeDeleted OR NOT (from.deleted OR to.deleted))
  AND NOT (from.entityType IN $hiddenTypes OR to.entityType IN $hiddenTypes)
MATCH (one)-[:HAS_ASSET]->(from)
MATCH (other)-[:HAS_ASSET]->(to)
WHERE one <> other
WITH
  one.id AS fromId,
  other.id AS toId,
  [n IN [from, to] WHERE n.entityType IN $judgedTypes | [n.id, n.entityType]] AS judged
RETURN fromId, toId, judged, count(*) AS edges
LIMIT toInteger($limit)
