// Returns the rows whose columns no live test targets.
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS {
  UNWIND row.keys AS key
  MATCH (:Column {key: key})<-[:TESTS]-(test:TestCase)
  WHERE NOT test.deleted
}
RETURN row.at AS at
