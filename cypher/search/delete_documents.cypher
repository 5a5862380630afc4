// Removes documents whose record is gone. The lock on the document comes before the check, because a transaction in
// progress may just be creating the record and its document.
UNWIND $ids AS id
MATCH (doc:SearchDoc {id: id})
SET doc.id = doc.id
WITH id, doc
WHERE NOT EXISTS { (:Entity {id: id}) }
DELETE doc
RETURN id
