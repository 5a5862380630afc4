// Removes records for good, with their columns, history, usage and every edge, unless something came to hang below them.
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
  MATCH (n)-[:HAS_VERSION]->(state:Version)
  DETACH DELETE state
}
CALL (n) {
  MATCH (n)-[:HAS_USAGE]->(day:UsageDay)
  DETACH DELETE day
}
DETACH DELETE n
RETURN row.at AS at
