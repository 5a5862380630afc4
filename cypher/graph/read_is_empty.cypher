// Returns whether the store holds no data at all.
RETURN NOT EXISTS { MATCH () } AS isEmpty
