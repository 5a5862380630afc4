// Deletes the oldest costs of queries that have more than the retained number.
UNWIND $rows AS row
WITH row.id AS id, row.kept AS kept, collect(row.at) AS places
MATCH (n:Entity {id: id})
WHERE COUNT { (n)-[:HAS_COST]->() } > kept
CALL (n, kept) {
  MATCH (n)-[:HAS_COST]->(cost:QueryCost)
  WITH cost, kept ORDER BY cost.key DESC
  WITH collect(cost) AS costs, kept
  FOREACH (old IN costs[kept..] | DETACH DELETE old)
}
UNWIND places AS at
RETURN at
