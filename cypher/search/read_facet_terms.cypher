// Answers the terms of one document for each facet key.
UNWIND $keys AS key
CALL (key) {
  MATCH (doc:SearchDoc {facetKey: key})
  RETURN doc.terms AS terms, doc.entityType AS entityType
  LIMIT 1
}
RETURN key, terms, entityType
