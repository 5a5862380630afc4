// Answers the steps of the schema that have been applied.
MATCH (n:SchemaStep)
RETURN n.name AS name, n.hash AS hash, n.version AS version
