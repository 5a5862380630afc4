// Counts the assets of one kind below each of some full names, up to a limit.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Entity)
  USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
  WHERE n.entityType = row.entityType AND n.fullyQualifiedName STARTS WITH row.scope + '.'
    AND ($includeDeleted OR NOT n.deleted)
  WITH n
  LIMIT toInteger($limit)
  RETURN count(n) AS count
}
RETURN row.at AS at, count
