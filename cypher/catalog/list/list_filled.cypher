// Lists records of one kind that have tests, after a position in ascending or descending name order.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND EXISTS { (n)-[:HAS_TEST|CONTAINS]->(test WHERE test.entityType = 'testCase' AND NOT test.deleted) }
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
  AND ($domainId IS NULL OR EXISTS {
    MATCH (n) ((step:Entity WHERE NOT EXISTS { (step)-[:IN_DOMAIN]->() })<-[:CONTAINS]-()){0,50} (holder:Entity)
    MATCH (holder)-[:IN_DOMAIN]->(:Entity {id: $domainId})
  })
WITH n ORDER BY n.entityType${ORDER}, n.deleted${ORDER}, n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
