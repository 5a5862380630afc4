// Clears away some of the results that contracts have forgotten, and then what is left to know them by.
MATCH (spent:SpentSeries)
WHERE spent.id > ''
WITH spent LIMIT 1
CALL (spent) {
  MATCH (result:ContractResult)
  USING INDEX SEEK result:ContractResult(contractId, timestamp)
  WHERE result.contractId = spent.id AND result.timestamp >= 0
  WITH result LIMIT toInteger($limit)
  DETACH DELETE result
  RETURN count(result) AS removed
}
CALL (spent, removed) {
  WITH spent, removed
  WHERE removed < $limit
  DELETE spent
}
RETURN removed
