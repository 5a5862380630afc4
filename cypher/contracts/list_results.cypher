// Lists the results of a contract within a time span, newest first.
MATCH (result:ContractResult)
USING INDEX SEEK result:ContractResult(contractId, timestamp)
WHERE result.contractId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
WITH result ORDER BY result.contractId DESC, result.timestamp DESC
LIMIT toInteger($limit)
RETURN result.timestamp AS timestamp, result.json AS json
