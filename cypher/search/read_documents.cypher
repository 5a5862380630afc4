// Reads the search documents of records; removed records have none.
UNWIND $ids AS id
MATCH (doc:SearchDoc {id: id})
RETURN doc.id AS id, doc.entityType AS entityType, doc.revision AS revision, properties(doc) AS stored
