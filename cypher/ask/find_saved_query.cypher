// A saved query by its name.
MATCH (one:SavedQuery {name: $name})
RETURN one{.*} AS node
