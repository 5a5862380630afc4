// Reads the applied schema steps, and the index or constraint that each of them created.
MATCH (n:SchemaStep)
RETURN n.name AS name, n.hash AS hash, n.version AS version, n.object AS object
