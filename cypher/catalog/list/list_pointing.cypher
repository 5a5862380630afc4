// Lists records from which an edge leads to a given record, optionally only those of one domain, after a position in
// ascending or descending name order.
MATCH (:Entity {id: $anchorId})<-[:${TYPE}]-(n:Entity)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
  AND ($domainId IS NULL OR EXISTS {
    MATCH (n) ((step:Entity WHERE NOT EXISTS { (step)-[:IN_DOMAIN]->() })<-[:CONTAINS]-()){0,50} (holder:Entity)
    MATCH (holder)-[:IN_DOMAIN]->(:Entity {id: $domainId})
  })
WITH DISTINCT n ORDER BY n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
