// Creates the search documents of new records.
UNWIND $rows AS row
CREATE (doc:SearchDoc)
SET doc = row.properties, doc.revision = 1, doc.toldFace = row.properties.face
RETURN row.at AS at
