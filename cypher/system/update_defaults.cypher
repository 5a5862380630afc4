// Records that the catalog has been given its default rights.
MERGE (n:Rights {name: $name})
SET n.hasDefaults = true
RETURN n.hasDefaults AS hasDefaults
