// Deletes results of tests.
UNWIND $rows AS row
MATCH (result:TestResult {key: row.key})
DETACH DELETE result
RETURN row.at AS at
