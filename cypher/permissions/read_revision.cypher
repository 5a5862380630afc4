// Answers how often what callers may do has changed.
MATCH (n:Rights {name: $name})
RETURN n.revision AS revision
