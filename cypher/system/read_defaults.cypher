// Answers whether a catalog has been given its first rights; nothing when it has not.
MATCH (n:Rights {name: $name})
WHERE n.hasDefaults
RETURN n.hasDefaults AS hasDefaults
