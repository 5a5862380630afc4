// Locks columns, and records that represent columns, and returns those that still have the expected number of column
// pairs. The lock keeps other transactions from adding pairs.
UNWIND $rows AS row
OPTIONAL MATCH (column:Column {key: row.key})
OPTIONAL MATCH (part:Entity {id: row.key})
WITH row, coalesce(column, part) AS end
WHERE end IS NOT NULL
SET end.entityType = end.entityType
WITH row, end
WHERE COUNT { (end)-[:DERIVES]-() } = row.count
RETURN row.at AS at
