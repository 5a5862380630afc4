// Reads a page of documents, in the order of ids, and answers those whose record is gone.
MATCH (doc:SearchDoc)
WHERE doc.id > $after
WITH doc
ORDER BY doc.id
LIMIT toInteger($limit)
RETURN count(doc) AS documents, max(doc.id) AS last,
  collect(CASE WHEN EXISTS { (:Entity {id: doc.id}) } THEN null ELSE doc.id END) AS orphans
