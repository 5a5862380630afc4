// Finds the result of a contract by its ID.
MATCH (result:ContractResult {ownKey: $key})
RETURN result.timestamp AS timestamp, result.json AS json
