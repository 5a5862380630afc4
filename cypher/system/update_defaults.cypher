// Remembers that a catalog has been given its first rights.
MERGE (n:Rights {name: $name})
SET n.hasDefaults = true
RETURN n.hasDefaults AS hasDefaults
