// Makes records of one kind unreadable at once that are removed for good when nothing hangs below them any more. Their
// names stay taken until then.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.version = row.version
SET n.doomed = true, n.deleted = true, n.sortKey = null, n.scope1 = null, n.scope2 = null, n.scope3 = null,
  n.scope4 = null,
  n.revision = n.revision + 1
REMOVE n:Live${LABEL}
WITH n, row
CALL (n) {
  MATCH (doc:SearchDoc {id: n.id})
  DELETE doc
}
RETURN row.at AS at
