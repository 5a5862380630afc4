// Deletes some of the results and measurements of records and their columns. All rows of a transaction share one limit.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*0..100]->()-[:HAS_RESULT|HAS_PROFILE]->(part WHERE NOT part:Entity)
  WITH part LIMIT toInteger($rows[0].limit)
  DETACH DELETE part
}
RETURN row.at AS at
