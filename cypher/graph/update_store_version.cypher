// Raises the version of the store on every step that an older program has recorded: that is where programs look for it.
MATCH (n:SchemaStep)
WHERE coalesce(n.version, 0) < $version
SET n.version = $version
RETURN count(n) AS raised
