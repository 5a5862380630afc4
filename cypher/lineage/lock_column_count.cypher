// Answers for columns, and records that stand for columns, that are still joined to as many others. They are locked first,
// so that nobody joins them any more.
UNWIND $rows AS row
OPTIONAL MATCH (column:Column {key: row.key})
OPTIONAL MATCH (part:Entity {id: row.key})
WITH row, coalesce(column, part) AS end
WHERE end IS NOT NULL
SET end.entityType = end.entityType
WITH row, end
WHERE COUNT { (end)-[:DERIVES]-() } = row.count
RETURN row.at AS at
