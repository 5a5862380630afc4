// Stores the newest result on contracts, unless these have changed since they were read. The first SET takes the lock
// and must write a property that never changes: its value is read before the lock, so writing the revision could
// restore an old one.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.entityType = contract.entityType
WITH contract, row
WHERE NOT contract.deleted AND contract.revision = row.seenRevision
SET contract.revision = contract.revision + 1, contract += row.changes
RETURN row.at AS at
