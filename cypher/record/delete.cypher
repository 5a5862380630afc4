// Removes records for good, with their columns, their history and every edge.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
  DETACH DELETE c
}
CALL (n) {
  MATCH (n)-[:HAS_VERSION]->(state:Version)
  DETACH DELETE state
}
DETACH DELETE n
RETURN row.at AS at
