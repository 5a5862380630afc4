// Makes records invisible at once; the nodes are removed when they have no descendants left. Their names stay taken
// until then.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.version = row.version
SET n.doomed = true, n.deleted = true, n.sortKey = null, n.scope1 = null, n.scope2 = null, n.scope3 = null,
  n.scope4 = null,
  n.revision = n.revision + 1
REMOVE n:$('Live' + row.label)
WITH n, row
CALL (n) {
  MATCH (doc:SearchDoc {id: n.id})
  DELETE doc
}
RETURN row.at AS at
