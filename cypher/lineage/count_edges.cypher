// Counts all edges of lineage, which the database keeps counted.
MATCH ()-[edge:FEEDS]->()
RETURN count(edge) AS count
