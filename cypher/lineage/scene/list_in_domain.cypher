// Lists the assets of some kinds whose nearest domain is the given one, those with lineage first, among a limited number
// of examined records.
MATCH (:Entity {id: $id})<-[:IN_DOMAIN]-(holder:Entity)
MATCH way = (holder)-[:CONTAINS*0..50]->(n:Entity)
WHERE n.entityType IN $entityTypes AND ($includeDeleted OR NOT n.deleted)
  AND none(one IN tail(nodes(way)) WHERE EXISTS { (one)-[:IN_DOMAIN]->(:Entity) })
WITH DISTINCT n
LIMIT toInteger($look)
WITH n, EXISTS { (n)-[:FEEDS]-() } AS isJoined
ORDER BY isJoined DESC, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
