// Links tests to the table or column that they target. The table is locked first, so that a concurrent removal of the
// column is seen.
UNWIND $rows AS row
MATCH (table:Entity {id: row.tableId})
SET table.entityType = table.entityType
WITH row, table
MATCH (test:Entity {id: row.id})
CALL (row, table, test) {
  WITH row, table, test
  WHERE row.columnFqn IS NULL
  MERGE (test)-[:TESTS]->(table)
  RETURN count(*) AS joined
  UNION ALL
  WITH row, table, test
  WHERE row.columnFqn IS NOT NULL
  MATCH (column:Column {fullyQualifiedName: row.columnFqn})
  WHERE column.key STARTS WITH table.id
  MERGE (test)-[:TESTS]->(column)
  RETURN count(*) AS joined
}
WITH row, sum(joined) AS joined
WHERE joined > 0
RETURN row.at AS at
