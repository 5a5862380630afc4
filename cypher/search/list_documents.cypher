// Lists a page of search documents of some types, in the order of ids.
MATCH (doc:SearchDoc)
WHERE doc.id > $after
  AND doc.entityType IN $entityTypes
WITH doc
ORDER BY doc.id
LIMIT toInteger($limit)
RETURN doc.id AS id, doc.entityType AS entityType, doc.revision AS revision, properties(doc) AS stored
