// Deletes a batch of results that were unlinked from their contracts, then the marker of their series.
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
