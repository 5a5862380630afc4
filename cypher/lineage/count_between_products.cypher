// Counts the edges between the assets of data products.
MATCH (one)-[:HAS_ASSET]->(from)-[:FEEDS]->(to)<-[:HAS_ASSET]-(other)
WHERE one <> other
  AND ($includeDeleted OR NOT (from.deleted OR to.deleted))
  AND NOT (from.entityType IN $hiddenTypes OR to.entityType IN $hiddenTypes)
  AND NOT (from.id IN $hiddenIds OR to.id IN $hiddenIds)
RETURN one.id AS fromId, other.id AS toId, count(*) AS edges
