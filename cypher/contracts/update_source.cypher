// Keeps the documents that contracts were read from; a later one takes the place of the former, unless that is not the
// one which was looked at. The contract is locked by the first SET, before anything is compared.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.entityType = contract.entityType
WITH row, contract
OPTIONAL MATCH (former:ContractSource {contractId: row.id})
WITH row, contract, coalesce(former.revision, 0) AS revision
WHERE row.seen IS NULL OR row.seen = revision
MERGE (source:ContractSource {contractId: row.id})
SET source.version = row.version, source.json = row.json, source.revision = revision + 1
MERGE (contract)-[:IMPORTED_FROM]->(source)
RETURN row.at AS at
