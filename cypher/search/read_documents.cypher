// Reads what records are found by; of those that are gone there is nothing.
UNWIND $ids AS id
MATCH (doc:SearchDoc {id: id})
RETURN doc.id AS id, doc.entityType AS entityType, doc.revision AS revision, properties(doc) AS stored
