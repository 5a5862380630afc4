// Keeps what new records are found by.
UNWIND $rows AS row
CREATE (doc:SearchDoc)
SET doc = row.properties, doc.revision = 1, doc.toldFace = row.properties.face
RETURN row.at AS at
