// Counts the assets of some kinds in each of some data products, up to a limit for each.
UNWIND $ids AS id
CALL (id) {
  MATCH (:Entity {id: id})-[:HAS_ASSET]->(n:Entity)
  WHERE n.entityType IN $entityTypes AND ($includeDeleted OR NOT n.deleted)
  WITH n
  LIMIT toInteger($limit)
  RETURN n.entityType AS entityType, count(n) AS count
}
RETURN id, entityType, count
