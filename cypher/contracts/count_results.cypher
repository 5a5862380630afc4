// Counts the results of a contract within a time span.
MATCH (result:ContractResult)
USING INDEX SEEK result:ContractResult(contractId, timestamp)
WHERE result.contractId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
RETURN count(result) AS total
