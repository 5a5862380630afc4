// Answers for columns that are still joined to as many others. They are locked first, so that nobody joins them any more.
UNWIND $rows AS row
MATCH (column:Column {key: row.key})
SET column.key = column.key
WITH row, column
WHERE COUNT { (column)-[:DERIVES]-() } = row.count
RETURN row.at AS at
