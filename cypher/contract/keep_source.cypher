// Keeps the documents that contracts were read from; a later one takes the place of the former.
UNWIND $rows AS row
MATCH (contract:Entity {id: row.id})
MERGE (source:ContractSource {contractId: row.id})
SET source.version = row.version, source.json = row.json
MERGE (contract)-[:IMPORTED_FROM]->(source)
RETURN row.at AS at
