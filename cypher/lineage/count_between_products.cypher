// Counts the edges between the assets of data products, per pair of products. The rows contain the records whose
// visibility the caller must judge.
MATCH ()-[:HAS_ASSET]->(from)-[edge:FEEDS]->(to)
WITH DISTINCT edge, from, to
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
