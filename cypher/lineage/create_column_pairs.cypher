// Joins column pairs. A row is returned only when all its pairs were joined.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.pairs AS pair
  MATCH (from:Column {key: pair[0]})
  MATCH (to:Column {key: pair[1]})
  CREATE (from)-[:DERIVES {edgeId: row.edgeId, since: row.since}]->(to)
  RETURN count(*) AS joined
}
WITH row, joined
WHERE joined = size(row.pairs)
RETURN row.at AS at
