// Lets contracts say how they were judged last, unless somebody else has changed them since they were looked at. The lock
// is taken by the first SET, before anything is compared.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.revision = contract.revision
WITH contract, row
WHERE NOT contract.deleted AND contract.revision = row.seenRevision
SET contract.revision = contract.revision + 1, contract += row.changes
RETURN row.at AS at
