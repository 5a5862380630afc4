// Answers the result of a contract that has an id.
MATCH (result:ContractResult {ownKey: $key})
RETURN result.timestamp AS timestamp, result.json AS json
