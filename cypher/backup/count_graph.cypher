// Counts the nodes and relationships to copy; the database keeps both numbers.
RETURN COUNT { (n) } AS nodes, COUNT { ()-[r]->() } AS relationships
