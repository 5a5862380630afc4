// Answers the document that a contract was read from.
MATCH (source:ContractSource {contractId: $id})
RETURN source.version AS version, source.json AS sourceJson
