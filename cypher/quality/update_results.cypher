// Stores results of tests; a result with the same timestamp is replaced.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
MERGE (result:TestResult {key: row.key})
SET result.caseId = row.id, result.timestamp = row.timestamp, result.status = row.status, result.json = row.json
MERGE (test)-[:HAS_RESULT]->(result)
RETURN row.at AS at
