// Returns a row if the catalog has been given its default rights.
MATCH (n:Rights {name: $name})
WHERE n.hasDefaults
RETURN n.hasDefaults AS hasDefaults
