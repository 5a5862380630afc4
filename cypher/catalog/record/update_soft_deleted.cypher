// Removes the label for live records from soft-deleted records, and deletes their sessions and tokens,
// which a restoration does not bring back.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
REMOVE n:$('Live' + row.label)
WITH n, row
CALL (n) {
  MATCH (n)-[:HAS_SESSION|HAS_TOKEN]->(part)
  DETACH DELETE part
}
RETURN row.at AS at
