// Counts what there is to copy; both numbers are kept by the database.
RETURN COUNT { (n) } AS nodes, COUNT { ()-[r]->() } AS relationships
