// Records applied schema steps, and the index or constraint that each of them created.
UNWIND $rows AS row
MERGE (n:SchemaStep {name: row.name})
SET n.hash = row.hash, n.version = $version, n.object = row.object, n.appliedAt = timestamp()
RETURN n.name AS name
