// Lets contracts forget how they were judged: what there is of that stays behind under the name of its series, to be cleared
// away bit by bit, and what comes from now on is of another series.
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
