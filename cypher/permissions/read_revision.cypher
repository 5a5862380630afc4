// Returns the revision of the rights, which increases with every change.
MATCH (n:Rights {name: $name})
RETURN n.revision AS revision
