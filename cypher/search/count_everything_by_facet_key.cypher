// Counts all documents of some kinds by facet key, without reading any.
UNWIND $entityTypes AS entityType
MATCH (doc:SearchDoc)
USING INDEX doc:SearchDoc(entityType, deleted, facetKey)
WHERE doc.entityType = entityType AND doc.deleted = false AND doc.facetKey > ''
RETURN doc.facetKey AS key, count(*) AS count
