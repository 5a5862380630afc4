// Counts all documents of some kinds, up to a limit, without reading any.
UNWIND $entityTypes AS entityType
MATCH (doc:SearchDoc)
USING INDEX doc:SearchDoc(entityType, deleted, facetKey)
WHERE doc.entityType = entityType AND doc.deleted = false AND doc.facetKey > ''
WITH doc
LIMIT toInteger($most)
RETURN count(doc) AS count
