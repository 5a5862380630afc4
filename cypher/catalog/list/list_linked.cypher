// Lists records to which an edge leads from a given record, after a position in ascending or descending name order.
MATCH (:Entity {id: $anchorId})-[:${TYPE}]->(n:Entity)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH DISTINCT n ORDER BY n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
