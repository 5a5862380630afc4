// Removes records for good, with their columns, their history, what else hangs on them alone, and every edge, unless something came to hang below them.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.revision = n.revision
WITH n, row
WHERE NOT EXISTS { (n)-[:CONTAINS]->(:Entity) }
  AND NOT EXISTS { (n)-[:PARENT_OF]->(c WHERE COUNT { (c)<-[:PARENT_OF]-() } = 1) }
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
  DETACH DELETE c
}
CALL (n) {
  MATCH (n)-[:HAS_VERSION|HAS_RESULT|HAS_USAGE|NAMES|PREFERS|HAS_SESSION|HAS_TOKEN|HAS_DELIVERY]->(part WHERE NOT part:Entity)
  DETACH DELETE part
}
CALL (n) {
  MATCH (n)<-[:CONCERNS]-(intent:Intent)
  DETACH DELETE intent
}
DETACH DELETE n
RETURN row.at AS at
