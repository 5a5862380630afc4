// Lists a page of the documents of one type with their revisions, in the order of ids.
MATCH (doc:SearchDoc)
WHERE doc.id > $after
  AND doc.entityType = $entityType
WITH doc
ORDER BY doc.id
LIMIT toInteger($limit)
RETURN doc.id AS id, doc.revision AS revision
