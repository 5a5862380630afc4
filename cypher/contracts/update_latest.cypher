// Lets contracts say how they were judged last, unless somebody else has changed them since they were looked at. The lock
// is taken by the first SET, of what never changes: what it writes is read before there is a lock, so that of the revision
// it would bring back an old one.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.entityType = contract.entityType
WITH contract, row
WHERE NOT contract.deleted AND contract.revision = row.seenRevision
SET contract.revision = contract.revision + 1, contract += row.changes
RETURN row.at AS at
