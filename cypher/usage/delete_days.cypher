// Deletes the oldest days of records that have more than the retained number.
UNWIND $rows AS row
WITH row.id AS id, row.kept AS kept, collect(row.at) AS places
MATCH (n:Entity {id: id})
WHERE COUNT { (n)-[:HAS_USAGE]->() } > kept
CALL (n, kept) {
  MATCH (n)-[:HAS_USAGE]->(day:UsageDay)
  WITH day, kept ORDER BY day.date DESC
  WITH collect(day) AS days, kept
  FOREACH (old IN days[kept..] | DETACH DELETE old)
}
UNWIND places AS at
RETURN at
