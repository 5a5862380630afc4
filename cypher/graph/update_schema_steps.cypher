// Records that steps of the schema have been applied, and the index or constraint that each of them has made.
UNWIND $rows AS row
MERGE (n:SchemaStep {name: row.name})
SET n.hash = row.hash, n.version = $version, n.object = row.object, n.appliedAt = timestamp()
RETURN n.name AS name
