// Deletes the oldest results of contracts up to a moment, limited in number.
UNWIND $rows AS row
CALL (row) {
  MATCH (result:ContractResult)
  USING INDEX SEEK result:ContractResult(contractId, timestamp)
  WHERE result.contractId = row.id AND result.timestamp < row.before
  WITH result ORDER BY result.contractId, result.timestamp
  LIMIT 10000
  DETACH DELETE result
}
RETURN row.at AS at
