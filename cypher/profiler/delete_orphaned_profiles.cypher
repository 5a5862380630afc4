// Deletes a batch of profiles of removed columns, then the markers of these columns.
MATCH (c:Spent)
WHERE c.id > ''
WITH c LIMIT 1
CALL (c) {
  MATCH (c)-[:HAS_PROFILE]->(p)
  WITH p LIMIT toInteger($limit)
  DETACH DELETE p
  RETURN count(p) AS removed
}
CALL (c) {
  WITH c WHERE NOT EXISTS { (c)-[:HAS_PROFILE]->() }
  DETACH DELETE c
}
RETURN removed
