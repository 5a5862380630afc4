// Writes the search documents of records as they are in this transaction.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (doc:SearchDoc {id: row.id})
WITH row, n, doc, doc.toldFace AS toldFace
SET doc = row.properties, doc.revision = n.revision, doc.toldFace = toldFace
RETURN row.at AS at
