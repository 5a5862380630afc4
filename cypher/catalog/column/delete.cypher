// Deletes columns with their edges and measurements. A column with too many measurements for one transaction becomes an
// anonymous node that keeps them until they are deleted in batches.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (c:Column {key: column.key})
CALL (c) {
  WITH c WHERE COUNT { (c)-[:HAS_PROFILE]->() } > 100
  REMOVE c:Column
  SET c:Spent
  SET c = {id: randomUUID()}
  WITH c
  MATCH (c)-[edge]-()
  WHERE type(edge) <> 'HAS_PROFILE'
  DELETE edge
}
CALL (c) {
  WITH c WHERE NOT c:Spent
  OPTIONAL MATCH (c)-[:HAS_PROFILE]->(p)
  DETACH DELETE p, c
}
RETURN DISTINCT row.at AS at
