// Stores results of contracts; a result with the same timestamp is replaced.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
MERGE (result:ContractResult {key: row.key})
SET result.contractId = row.series, result.ownKey = row.ownKey, result.timestamp = row.timestamp, result.status = row.status, result.json = row.json
MERGE (contract)-[:HAS_RESULT]->(result)
RETURN row.at AS at
