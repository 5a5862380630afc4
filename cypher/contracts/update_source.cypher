// Stores the source documents of contracts and replaces earlier ones, unless the stored revision differs from the one
// that was read. The first SET locks the contract before anything is compared. Kept answers about a contract become
// stale when its annotations change, so its revision steps then.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
SET contract.entityType = contract.entityType
WITH row, contract
OPTIONAL MATCH (former:ContractSource {contractId: row.id})
WITH row, contract, coalesce(former.revision, 0) AS revision
WHERE row.seen IS NULL OR row.seen = revision
MERGE (source:ContractSource {contractId: row.id})
SET source.version = row.version, source.json = row.json, source.revision = revision + 1,
  contract.revision = contract.revision + CASE
    WHEN coalesce(contract.odcsAnnotationsJson, '') = coalesce(row.annotationsJson, '') THEN 0 ELSE 1
  END,
  contract.odcsAnnotationsJson = row.annotationsJson
MERGE (contract)-[:IMPORTED_FROM]->(source)
RETURN row.at AS at
