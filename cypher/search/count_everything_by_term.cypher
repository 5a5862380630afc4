// Counts the terms with given prefixes in all documents of some kinds, the most frequent first. The prefixes are those of
// facets, so one document tells the terms of all that have its facet key.
UNWIND $entityTypes AS entityType
MATCH (doc:SearchDoc)
USING INDEX doc:SearchDoc(entityType, deleted, facetKey)
WHERE doc.entityType = entityType AND doc.deleted = false AND doc.facetKey > ''
WITH entityType, doc.facetKey AS key, count(*) AS times
CALL (entityType, key) {
  MATCH (doc:SearchDoc)
  USING INDEX doc:SearchDoc(entityType, deleted, facetKey)
  WHERE doc.entityType = entityType AND doc.deleted = false AND doc.facetKey = key
  RETURN doc.terms AS terms
  LIMIT 1
}
UNWIND split(terms, ' ') AS term
WITH term, times
WHERE any(start IN $prefixes WHERE term STARTS WITH start)
WITH term, sum(times) AS count
ORDER BY count DESC, term
RETURN term, count
LIMIT toInteger($limit)
