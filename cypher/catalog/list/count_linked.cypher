// Counts records to which an edge leads from a given record.
MATCH (:Entity {id: $anchorId})-[:${TYPE}]->(n:Entity)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
RETURN count(DISTINCT n) AS total
