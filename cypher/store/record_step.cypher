// Records that a step of the schema has been applied.
MERGE (n:SchemaStep {name: $name})
SET n.hash = $hash, n.version = $version, n.appliedAt = timestamp()
RETURN n.name AS name
