// Unlinks the results of contracts: existing results stay under the old series, to be deleted in batches, and new
// results get another series.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.entityType = contract.entityType
WITH contract, row, coalesce(contract.resultSeries, contract.id) AS series
SET contract.latestResultJson = null, contract.isWaiting = null
WITH contract, row, series
WHERE EXISTS { (contract)-[:HAS_RESULT]->() }
SET contract.resultSeries = row.series
MERGE (spent:SpentSeries {id: series})
RETURN row.at AS at
