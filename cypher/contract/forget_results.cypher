// Removes all results of contracts, which then say of none that it is the newest.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.latestResultJson = null, contract.isWaiting = null
WITH contract, row
CALL (contract) {
  MATCH (contract)-[:HAS_RESULT]->(result)
  DETACH DELETE result
}
RETURN row.at AS at
