// Removes some of what was told of the runs, results and measurements of records and their columns. All rows of a
// transaction have the same bound.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*0..100]->()-[:HAS_RESULT|HAS_PROFILE]->(part WHERE NOT part:Entity)
  WITH part LIMIT toInteger($rows[0].limit)
  DETACH DELETE part
}
RETURN row.at AS at
