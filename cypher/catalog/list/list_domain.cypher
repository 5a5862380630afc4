// Lists records that belong to a domain, directly or through the nearest ancestor that has a domain, after a position in
// ascending or descending name order.
MATCH (:Entity {id: $anchorId})<-[:IN_DOMAIN]-(holder:Entity)
MATCH (holder) (()-[:CONTAINS]->(step WHERE NOT EXISTS { (step)-[:IN_DOMAIN]->() })){0,50} (n:Entity)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH DISTINCT n ORDER BY n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
