// Deletes results of contracts.
UNWIND $rows AS row
MATCH (result:ContractResult {key: row.key})
DETACH DELETE result
RETURN row.at AS at
