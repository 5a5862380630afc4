// Counts the assets of some kinds whose nearest domain is one of the given ones, up to a limit for each domain.
UNWIND $ids AS id
CALL (id) {
  MATCH (:Entity {id: id})<-[:IN_DOMAIN]-(holder:Entity)
  MATCH way = (holder)-[:CONTAINS*0..50]->(n:Entity)
  WHERE n.entityType IN $entityTypes AND ($includeDeleted OR NOT n.deleted)
    AND none(one IN tail(nodes(way)) WHERE EXISTS { (one)-[:IN_DOMAIN]->(:Entity) })
  WITH DISTINCT n
  LIMIT toInteger($limit)
  RETURN n.entityType AS entityType, count(n) AS count
}
RETURN id, entityType, count
