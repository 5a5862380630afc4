// Reads the source document of a contract and its revision.
MATCH (source:ContractSource {contractId: $id})
RETURN source.version AS version, source.json AS sourceJson, coalesce(source.revision, 0) AS revision
