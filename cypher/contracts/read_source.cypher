// Answers the document that a contract was read from, and how often it was another one before.
MATCH (source:ContractSource {contractId: $id})
RETURN source.version AS version, source.json AS sourceJson, coalesce(source.revision, 0) AS revision
