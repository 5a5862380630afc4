// Returns whether the store holds no node at all, from the count store.
MATCH ()
RETURN count(*) = 0 AS isEmpty
