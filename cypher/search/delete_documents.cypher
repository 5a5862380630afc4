// Removes documents whose record is gone. They are locked before their records are looked for: a record and its document may just be coming to be.
UNWIND $ids AS id
MATCH (doc:SearchDoc {id: id})
SET doc.id = doc.id
WITH id, doc
WHERE NOT EXISTS { (:Entity {id: id}) }
DELETE doc
RETURN id
