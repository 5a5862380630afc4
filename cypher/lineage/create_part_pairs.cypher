// Joins column pairs in which records may represent columns. A row is returned only when all its pairs were joined.
// Pairs of plain columns use `lineage/create_column_pairs`, which looks up each end only once.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.pairs AS pair
  OPTIONAL MATCH (fromColumn:Column {key: pair[0]})
  OPTIONAL MATCH (fromPart:Entity {id: pair[0]})
  OPTIONAL MATCH (toColumn:Column {key: pair[1]})
  OPTIONAL MATCH (toPart:Entity {id: pair[1]})
  WITH row, coalesce(fromColumn, fromPart) AS from, coalesce(toColumn, toPart) AS to
  WHERE from IS NOT NULL AND to IS NOT NULL
  CREATE (from)-[:DERIVES {edgeId: row.edgeId, since: row.since}]->(to)
  RETURN count(*) AS joined
}
WITH row, joined
WHERE joined = size(row.pairs)
RETURN row.at AS at
